#include "study/tuning/minimize.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace flexloop::study {
namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;

double rosenbrock(const VectorXd& x) {
  return 100.0 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1.0 - x[0], 2);
}

VectorXd rosenbrockGradient(const VectorXd& x) {
  const double valley = x[1] - x[0] * x[0];
  return Vector2d(-400.0 * x[0] * valley - 2.0 * (1.0 - x[0]), 200.0 * valley);
}

const Box kWide{Vector2d(-5.0, -5.0), Vector2d(5.0, 5.0)};

TEST(Minimize, CurvedValley) {
  const Vector2d start(-1.2, 1.0);
  const Minimum simplex = minimizeBySimplex(rosenbrock, start, 0.5, kWide, 1000, 1e-7);
  EXPECT_TRUE(simplex.isSettled);
  EXPECT_LT((simplex.x - Vector2d(1.0, 1.0)).norm(), 1e-5);
  const Minimum gradient =
      minimizeByGradient(rosenbrock, rosenbrockGradient, start, 0.5, kWide, 200, 1e-10);
  EXPECT_LT((gradient.x - Vector2d(1.0, 1.0)).norm(), 1e-6);
}

// The least value of the box is at its border.
TEST(Minimize, Border) {
  const Box box{Vector2d(-5.0, -5.0), Vector2d(0.5, 5.0)};
  const Vector2d start(-1.2, 1.0), least(0.5, 0.25);
  EXPECT_LT((minimizeBySimplex(rosenbrock, start, 0.5, box, 1000, 1e-7).x - least).norm(), 1e-4);
  EXPECT_LT((minimizeByGradient(rosenbrock, rosenbrockGradient, start, 0.5, box, 200, 1e-10).x - least)
                .norm(),
            1e-6);
}

// max(|x − 1|, 2 |y + 1|) has no gradient at its minimum, and no value for x > 3.
TEST(Minimize, Kinks) {
  const Function f = [](const VectorXd& x) {
    return x[0] > 3.0 ? INFINITY : std::max(std::abs(x[0] - 1.0), 2.0 * std::abs(x[1] + 1.0));
  };
  const Minimum found = minimizeBySimplex(f, Vector2d(2.5, 2.0), 0.7, kWide, 1000, 1e-8);
  EXPECT_LT(found.value, 1e-3);
}

}  // namespace
}  // namespace flexloop::study
