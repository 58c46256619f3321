// Slopes of what can only be called, in whatever unit it counts.
#include "control/boxes/slope_search.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace flexloop::control {
namespace {

double findSlope(double at, const std::function<double(double)>& f) {
  return calcSlopes(at, 1, [&](double x, std::span<double> y) { y[0] = f(x); }).values[0];
}

// y / unit = f(u / unit): the slope does not know the unit, at zero and elsewhere, with an output beside zero.
TEST(SlopeSearch, NoUnitMatters) {
  for (const double unit : {1.0, 1e-3, 1e3, 1e-9, 1e9, 1e-15, 1e15}) {
    SCOPED_TRACE(unit);
    for (const double v : {0.0, 1e-20, 0.03, -2.0}) {
      SCOPED_TRACE(v);
      const auto cubic = [&](double u) {
        const double x = u / unit;
        return unit * (3.0 + 40.0 * x + 30.0 * x * x - 20.0 * x * x * x);
      };
      const double slope = 40.0 + 60.0 * v - 60.0 * v * v;
      EXPECT_NEAR(findSlope(v * unit, cubic), slope, 1e-9 * std::abs(slope));
      const auto line = [&](double u) { return unit * 7.0 - 0.3 * u; };
      EXPECT_NEAR(findSlope(v * unit, line), -0.3, 1e-8);
      const auto soft = [&](double u) { return std::tanh(u / unit); };
      const double exact = 1.0 / (std::cosh(v) * std::cosh(v));
      EXPECT_NEAR(findSlope(v * unit, soft) * unit, exact, 1e-8);
    }
  }
}

// Of an odd function both sides agree with each other at any step.
TEST(SlopeSearch, TwoSidesThatAgreeAreNotEnough) {
  EXPECT_NEAR(findSlope(0.0, [](double u) { return u + 1e18 * u * u * u; }), 1.0, 1e-9);
}

// A limit is held, however far one looks; where nothing is seen the argument is not led far away.
TEST(SlopeSearch, OutputsAtALimitHaveNoSlope) {
  double farthest = 0.0;
  const auto limited = [&](double u) {
    farthest = std::max(farthest, std::abs(u));
    return std::min(5.0, 100.0 * (u + 2.0));
  };
  EXPECT_EQ(findSlope(0.0, limited), 0.0);
  EXPECT_LE(farthest, 1024.0);
}

TEST(SlopeSearch, EachResultHasItsOwnStep) {
  const Slopes slopes = calcSlopes(0.0, 3, [](double u, std::span<double> y) {
    y[0] = 2.0 * u;
    y[1] = std::sin(1e9 * u);
    y[2] = 4.0;
  });
  EXPECT_EQ(slopes.values[0], 2.0);
  EXPECT_NEAR(slopes.values[1], 1e9, 1.0);
  EXPECT_EQ(slopes.values[2], 0.0);
  EXPECT_TRUE(slopes.areSure);
}

TEST(SlopeSearch, NumbersThatAreNoneAreAvoided) {
  EXPECT_NEAR(findSlope(1e-6, [](double u) { return std::sqrt(u); }), 500.0, 1e-5);
}

TEST(SlopeSearch, SaysWhereNoStepAgrees) {
  const Slopes slopes =
      calcSlopes(0.0, 1, [](double u, std::span<double> y) { y[0] = std::cbrt(u); });
  EXPECT_FALSE(slopes.areSure);
}

// At balance, what large numbers leave: round-off is that of the numbers, not of the result.
TEST(SlopeSearch, SeesWhatCancelsInside) {
  struct Case {
    double (*f)(double);
    double slope, tolerance;
  };
  const Case cases[] = {
      {[](double u) { return std::pow(1.0 + u, 1.4) - 1.0; }, 1.4, 1e-6},
      {[](double u) { return 1e-3 * (6e5 * std::pow(1e-3 / (1e-3 + 2e-3 * u), 1.4) - 6e5); },
       -1e-3 * 6e5 * 1.4 * 2.0, 1e-6},
      {[](double u) { return (1e7 + u) * (1e7 + u) - 1e14; }, 2e7, 1e-6},
      {[](double u) { return 100.0 * (std::cos(u) - 1.0) + 3.0 * std::sin(u); }, 3.0, 1e-6}};
  for (const Case& c : cases) {
    const control::Slopes slopes =
        control::calcSlopes(0.0, 1, [&](double u, std::span<double> y) { y[0] = c.f(u); });
    EXPECT_NEAR(slopes.values[0], c.slope, c.tolerance * std::abs(c.slope));
  }
}

}  // namespace
}  // namespace flexloop::control
