// Multipliers of maps with chains of equal ones.
#include "linalg/roots/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace flexloop::test {
namespace {

// Jordan blocks: four zeros and three ones, each in one chain, beside 0.5 and 0.99999999, in other coordinates.
TEST(Multipliers, ChainsOfZerosAndOnesDoNotScatter) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(9, 9);
  J(0, 1) = J(1, 2) = J(2, 3) = J(4, 5) = J(5, 6) = 1.0;
  J(4, 4) = J(5, 5) = J(6, 6) = 1.0;
  J(7, 7) = 0.5;
  J(8, 8) = 1.0 - 1e-8;
  Eigen::MatrixXd Q(9, 9);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j)
      Q(i, j) = std::sqrt(2.0 / 10.0) * std::sin((i + 1) * (j + 1) * std::numbers::pi / 10.0);
  }
  const linalg::Multipliers all = linalg::findMultipliers(Q * J * Q);
  EXPECT_EQ(all.zeros, 4);
  ASSERT_EQ(all.found.size(), 3);
  EXPECT_EQ(all.found[0].value, 1.0);
  EXPECT_EQ(all.found[0].exponent, 0.0);
  double slow = INFINITY, fast = INFINITY;
  for (const auto& m : all.found) {
    slow = std::min(slow, std::abs(m.exponent + 1e-8));
    fast = std::min(fast, std::abs(m.exponent - std::log(0.5)));
    EXPECT_LT(m.residual, 1e-14);
  }
  EXPECT_LT(slow, 1e-14);
  EXPECT_LT(fast, 1e-13);
}

}  // namespace
}  // namespace flexloop::test
