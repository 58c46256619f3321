// Slopes of black boxes in as few questions as possible.
#include "control/boxes/box_slopes.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "control/boxes/slope_search.hpp"

namespace flexloop::control {
namespace {

struct Answer {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2, 3);
  int questions = 0;
};

template <class Function>
Answer ask(const std::vector<double>& at, const Function& function) {
  Answer answer;
  calcColumns({at, 2}, answer.J, [&](const Variations& all) {
    ++answer.questions;
    for (std::size_t k = 0; k < all.count(); ++k) function(all.arguments(k), all.results(k));
  });
  return answer;
}

TEST(BoxSlopes, OfALinearBoxTakeOneQuestion) {
  const Answer answer = ask({0.3, -2.0, 1e-3}, [](auto in, auto out) {
    out[0] = 2.0 * in[0] - 1e3 * in[1] + 7.0 * in[2] + 5.0;
    out[1] = 3.0 * in[0] - in[1] + in[2];
  });
  EXPECT_EQ(answer.questions, 1);
  Eigen::MatrixXd exact(2, 3);
  exact << 2.0, -1e3, 7.0, 3.0, -1.0, 1.0;
  EXPECT_LT((answer.J - exact).cwiseAbs().maxCoeff(), 1e-8);
}

// As many as the longest of the searches, however many inputs there are.
TEST(BoxSlopes, OfASmoothBoxTakeFewQuestions) {
  const Answer answer = ask({0.3, -2.0, 1e-3}, [](auto in, auto out) {
    out[0] = std::sin(in[0]) * in[1] + std::exp(in[2]);
    out[1] = 3.0 * in[0] - in[1] * in[1] * in[1] + 7.0;
  });
  EXPECT_LE(answer.questions, 4);
  Eigen::MatrixXd exact(2, 3);
  exact << -2.0 * std::cos(0.3), std::sin(0.3), std::exp(1e-3), 3.0, -12.0, 0.0;
  EXPECT_LT((answer.J - exact).cwiseAbs().maxCoeff(), 1e-8);
}

// What is asked for together is what would be asked for one by one, to the last bit.
TEST(BoxSlopes, AreThoseOfSingleSearches) {
  const auto wild = [](std::span<const double> in, std::span<double> out) {
    out[0] = std::cbrt(in[0]) + std::tanh(1e7 * in[1]) + 1e9;
    out[1] = std::sqrt(in[2] - 1.0) + 1e-9 * in[0];  // no number below 1
  };
  for (const auto& at : {std::vector{0.0, 0.0, 1.0}, {1e-8, 1e-7, 1.0005}, {5.0, -3.0, 40.0}}) {
    const Answer answer = ask(at, wild);
    for (std::size_t c = 0; c < at.size(); ++c) {
      std::vector<double> in = at;
      const Slopes single = calcSlopes(at[c], 2, [&](double value, std::span<double> out) {
        in[c] = value;
        wild(in, out);
      });
      for (int r = 0; r < 2; ++r) {
        const double a = answer.J(r, static_cast<Eigen::Index>(c)), b = single.values[r];
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << r << ", " << c;
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::control
