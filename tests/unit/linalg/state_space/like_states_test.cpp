// States that mean the same in neighbouring systems: realisations of one system, and resonances that move by more than their
// width, beside responses in closed form.
#include "linalg/state_space/like_states.hpp"

#include <cmath>
#include <complex>
#include <random>

#include <gtest/gtest.h>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::linalg {
namespace {

std::vector<std::pair<int, int>> fromTheMiddle(std::size_t count) {
  const int n = static_cast<int>(count), middle = n / 2;
  std::vector<std::pair<int, int>> steps;
  for (int i = middle + 1; i < n; ++i) steps.emplace_back(i - 1, i);
  for (int i = middle; i-- > 0;) steps.emplace_back(i + 1, i);
  return steps;
}

using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Two resonances and a lag, in states without any meaning.
class Family {
 public:
  explicit Family(double leak) : leak_(leak) {}

  StateMatrices make(double p) {
    StateMatrices s{MatrixXd::Zero(5, 5), MatrixXd::Zero(5, 1), MatrixXd(1, 5), MatrixXd(1, 1)};
    const double w[] = {first(p), second(p)};
    for (int k = 0; k < 2; ++k) {
      s.A(2 * k, 2 * k + 1) = w[k];
      s.A(2 * k + 1, 2 * k) = -w[k];
      s.A(2 * k + 1, 2 * k + 1) = -2.0 * kDamping * w[k];
      s.B(2 * k + 1, 0) = w[k];
    }
    s.A(4, 4) = -leak_;
    s.B(4, 0) = 1.0;
    s.C << 1.0, 0.0, 0.3, 0.0, 0.5;
    s.D << 0.1;
    std::normal_distribution<double> normal;
    MatrixXd T(5, 5);
    for (double& entry : T.reshaped()) entry = normal(random_);
    const MatrixXd inverse = DenseLu<double>(T).inverse();
    return {T * s.A * inverse, T * s.B, s.C * inverse, s.D};
  }

  Complex calcExact(double p, Complex s) const {
    const double a = first(p), b = second(p);
    return a * a / (s * s + 2.0 * kDamping * a * s + a * a) +
           0.3 * b * b / (s * s + 2.0 * kDamping * b * s + b * b) + 0.5 / (s + leak_) + 0.1;
  }

 private:
  static constexpr double kDamping = 0.02;
  static double first(double p) { return 10.0 + 2.0 * p; }
  static double second(double p) { return 40.0 - 5.0 * p; }

  double leak_;
  std::mt19937 random_{7};
};

double calcMiddleError(Family& family, double step) {
  std::vector<StateMatrices> systems;
  for (int i = 0; i < 5; ++i) systems.push_back(family.make(i * step));
  const auto like = findLikeStates(systems, fromTheMiddle(systems.size()));
  if (!like) return NAN;
  double error = 0.0, size = 0.0;
  for (int i = 0; i + 1 < 5; ++i) {
    const StateMatrices &a = like.value().systems[i], &b = like.value().systems[i + 1];
    const StateMatrices middle{0.5 * (a.A + b.A), 0.5 * (a.B + b.B), 0.5 * (a.C + b.C),
                               0.5 * (a.D + b.D)};
    for (double w = 1.0; w < 100.0; w *= 1.02) {
      const Complex exact = family.calcExact((i + 0.5) * step, {0.0, w});
      error += std::norm(calcResponse(middle, {0.0, w})(0, 0) - exact);
      size += std::norm(exact);
    }
  }
  return std::sqrt(error / size);
}

TEST(LikeStates, RealisationsOfOneSystemBecomeTheSame) {
  Family family(1.0);
  const auto like =
      findLikeStates({family.make(0.0), family.make(0.0), family.make(0.0)}, fromTheMiddle(3));
  ASSERT_TRUE(like) << like.failure().message;
  EXPECT_EQ(like.value().leftOut, 0);
  for (const double likeness : like.value().likeness) EXPECT_NEAR(likeness, 1.0, 1e-8);
  for (const StateMatrices& s : like.value().systems) {
    EXPECT_LT((s.A - like.value().systems[1].A).norm(), 1e-7 * s.A.norm());
    EXPECT_LT((s.B - like.value().systems[1].B).norm(), 1e-7 * s.B.norm());
    EXPECT_LT((s.C - like.value().systems[1].C).norm(), 1e-7 * s.C.norm());
  }
}

// The error of straight lines is of second order, also where a resonance moves by more than its width of 4 % at each step.
TEST(LikeStates, LinesBetweenNeighboursAreOfSecondOrder) {
  Family family(1.0);
  const double coarse = calcMiddleError(family, 0.5), fine = calcMiddleError(family, 0.25);
  EXPECT_LT(coarse, 0.2);
  EXPECT_GT(coarse / fine, 3.0);
  EXPECT_LT(coarse / fine, 6.0);
}

TEST(LikeStates, IntegratorsHaveNoGramianAndAreAlignedAllTheSame) {
  Family family(0.0);
  EXPECT_LT(calcMiddleError(family, 0.25), 0.05);
}

TEST(LikeStates, GrowingStatesToo) {
  Family family(-0.5);
  EXPECT_LT(calcMiddleError(family, 0.25), 0.05);
}

// A state that does nothing has no meaning that could be interpolated.
TEST(LikeStates, IdleStatesAreLeftOut) {
  Family family(1.0);
  std::vector<StateMatrices> systems;
  for (int i = 0; i < 3; ++i) {
    const StateMatrices s = family.make(0.1 * i);
    StateMatrices wider{MatrixXd::Zero(6, 6), MatrixXd::Zero(6, 1), MatrixXd::Zero(1, 6), s.D};
    wider.A.topLeftCorner(5, 5) = s.A;
    wider.A(5, 5) = -3.0;
    wider.B.topRows(5) = s.B;
    wider.B(5, 0) = 1.0;
    wider.C.leftCols(5) = s.C;
    systems.push_back(wider);
  }
  const auto like = findLikeStates(systems, fromTheMiddle(systems.size()));
  ASSERT_TRUE(like) << like.failure().message;
  EXPECT_EQ(like.value().leftOut, 1);
  EXPECT_EQ(like.value().systems[0].countStates(), 5);
}

}  // namespace
}  // namespace flexloop::linalg
