// Tables of one and two signals, against scipy.
#include "control/algebra/lookup.hpp"

#include <gtest/gtest.h>

#include "math/monotone_slopes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using control::Axis;
using control::Lookup;
using control::Lookup2;
using math::Jet1;
using math::Jet2;

constexpr auto kHold = Axis::Extrapolation::kHold;
constexpr auto kLinear = Axis::Extrapolation::kLinear;

const std::vector<double> kX{-1, 0, 0.5, 2, 3}, kY{0, 2, 1.5, -1, 0.5};

void expectJet(const Jet1& is, double f, double fx, double fxx) {
  EXPECT_NEAR(is.f, f, 1e-14);
  EXPECT_NEAR(is.fx, fx, 1e-14);
  EXPECT_NEAR(is.fxx, fxx, 1e-13);
}

TEST(Lookup, GoesStraightBetweenPoints) {
  const Lookup hold(Axis(kX, false, kHold), kY, {});
  expectJet(hold.at(-0.25), 1.5, 2.0, 0.0);
  expectJet(hold.at(0.5), 1.5, -5.0 / 3.0, 0.0);
  expectJet(hold.at(-7.0), 0.0, 0.0, 0.0);
  expectJet(hold.at(3.0), 0.5, 0.0, 0.0);
  const Lookup onward(Axis(kX, false, kLinear), kY, {});
  expectJet(onward.at(-2.0), -2.0, 2.0, 0.0);
  expectJet(onward.at(5.0), 3.5, 1.5, 0.0);
}

// scipy.interpolate.CubicSpline(x, y, bc_type='natural')(q, 0|1|2)
TEST(Lookup, IsANaturalSpline) {
  const Lookup lookup(Axis(kX, true, kLinear), kY, control::calcSplineSlopes(kX, kY));
  expectJet(lookup.at(-0.3), 1.7378341346153845, 1.555232371794872, -3.974519230769231);
  expectJet(lookup.at(0.2), 1.9179038461538462, -0.878397435897436, -4.1798076923076914);
  expectJet(lookup.at(1.4), -0.3871730769230768, -1.8303205128205131, 1.8548076923076926);
  expectJet(lookup.at(2.7), -0.1492812499999996, 2.0328766025641025, 1.3139423076923062);
  expectJet(lookup.at(-1.5), -0.5 * 2.9463141025641026, 2.9463141025641026, 0.0);
  expectJet(lookup.at(4.0), 0.5 + 2.229967948717949, 2.229967948717949, 0.0);
}

// scipy.interpolate.PchipInterpolator(x, y)(q, 0|1|2)
TEST(Lookup, IsAMonotoneCubic) {
  const Lookup lookup(Axis(kX, true, kHold), kY, math::calcMonotoneSlopes(kX, kY));
  expectJet(lookup.at(-0.3), 1.8199999999999998, 1.2000000000000002, -4.0);
  expectJet(lookup.at(0.2), 1.8816, -1.056, -3.3599999999999994);
  expectJet(lookup.at(1.4), -0.29279999999999984, -2.0160000000000005, 1.6533333333333329);
  expectJet(lookup.at(2.7), -0.23069999999999957, 2.083666666666667, 2.4866666666666664);
  expectJet(lookup.at(-1.5), 0.0, 0.0, 0.0);
  expectJet(lookup.at(3.5), 0.5, 0.0, 0.0);
}

TEST(Lookup, TwoPointsAreALineForAllShapes) {
  const std::vector<double> x{1, 3}, y{2, 8};
  EXPECT_EQ(math::calcMonotoneSlopes(x, y), (std::vector<double>{3, 3}));
  for (const double slope : control::calcSplineSlopes(x, y)) EXPECT_NEAR(slope, 3.0, 1e-15);
}

Eigen::MatrixXd table() {
  return (Eigen::MatrixXd(4, 3) << 0, 1, 3, 2, -1, 0.5, 1, 1, 2, -2, 0, 1).finished();
}

void expectJet(const Jet2& is, const Jet2& expected) {
  EXPECT_NEAR(is.f, expected.f, 1e-14);
  EXPECT_NEAR(is.fx, expected.fx, 1e-14);
  EXPECT_NEAR(is.fy, expected.fy, 1e-14);
  EXPECT_NEAR(is.fxx, expected.fxx, 1e-13);
  EXPECT_NEAR(is.fxy, expected.fxy, 1e-13);
  EXPECT_NEAR(is.fyy, expected.fyy, 1e-13);
}

TEST(Lookup, IsBilinearInTwoDirections) {
  const std::vector<double> x{0, 1, 2.5, 4}, y{-1, 0.5, 2};
  const Lookup2 hold(Axis(x, false, kHold), Axis(y, false, kHold), table(), false);
  // In the cell of the values 0 1 / 2 −1: f = (1−a)(1−b)·0 + (1−a)b·1 + a(1−b)·2 − ab with a = x and
  // b = (y + 1)/1.5.
  const double a = 0.4, b = 0.6;
  expectJet(hold.at(a, 1.5 * b - 1), {(1 - a) * b + 2 * a * (1 - b) - a * b, -b + 2 * (1 - b) - b,
                                      ((1 - a) - 2 * a - a) / 1.5, 0.0, -4 / 1.5, 0.0});
  expectJet(hold.at(9.0, -5.0), {-2.0, 0, 0, 0, 0, 0});
  const Lookup2 onward(Axis(x, false, kLinear), Axis(y, false, kLinear), table(), false);
  // Beyond the corner of 2 and 1 by 1 in both, with slopes (1 − 2)/1.5, (1 − 0)/1.5 and the mixed one
  // (1 − 0 − 2 + 1)/2.25 = 0.
  expectJet(onward.at(5.0, 3.0), {1 - 1 / 1.5 + 1 / 1.5, -1 / 1.5, 1 / 1.5, 0, 0, 0});
}

// CubicSpline(Y, CubicSpline(X, T, axis=0, bc_type='natural')(x, i), bc_type='natural')(y, j)
TEST(Lookup, IsASplineInTwoDirections) {
  const std::vector<double> x{0, 1, 2.5, 4}, y{-1, 0.5, 2};
  const Lookup2 lookup(Axis(x, true, kHold), Axis(y, true, kHold), table(), true);
  expectJet(lookup.at(0.4, 0.1), {-0.03984842442442443, -1.5339876409743078, -0.4081566366366367,
                                  1.4033617617617618, -2.701194794794795, 1.3893957957957959});
  expectJet(lookup.at(3.1, 1.7),
            {1.8426897297297298, -0.5398486486486489, 0.6038054054054056, -1.8845405405405404,
             -0.20836036036036032, -0.030414414414414448});
}

TEST(Lookup, IsRefusedWhereTheTableIsWrong) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf("blocks: {y: {" + block + "}}\n"), message));
  };
  expectTold("type: lookup, input: 1, x: [0], y: [1]", "fewer than two");
  expectTold("type: lookup, input: 1, x: [0, 1, 1], y: [1, 2, 3]", "not increase at entry 3");
  expectTold("type: lookup, input: 1, x: [0, 1], y: [1, 2, 3]", "2 entries, but 'y' has 3");
  expectTold("type: lookup, input: 1, x: [0, 1], y: [1, 2], interpolation: cubic", "cubic");
  expectTold("type: lookup2, inputs: [1], x: [0, 1], y: [0, 1], table: [[1, 2], [3, 4]]",
             "'inputs' has 1 signals");
  expectTold("type: lookup2, inputs: [1, 2], x: [0, 1], y: [0, 1, 2], table: [[1, 2], [3, 4]]",
             "a row for each of the 2 points of 'x'");
}

}  // namespace
}  // namespace flexloop::test
