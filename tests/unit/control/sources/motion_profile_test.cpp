// Moves from rest to rest: durations in closed form, limits kept, exact derivatives.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "control/sources/motion_profiles.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using control::PiecewiseMove;
using control::PolynomialMove;
using math::Taylor2;

// What the move reaches, and that each derivative is that of the one before.
struct Largest {
  double velocity = 0.0, acceleration = 0.0, jerk = 0.0;
};

Largest walk(const control::TimeFunction& move, double start, double end) {
  Largest largest;
  const std::vector<double> breaks = move.breaks();
  const int n = 2000;
  const double h = (end - start) / n;
  for (int i = 0; i < n; ++i) {
    const double t = start + i * h;
    const Taylor2 a = move.at(t), b = move.at(t + h);
    const auto isInside = [&](double time) { return time > t && time < t + h; };
    if (std::any_of(breaks.begin(), breaks.end(), isInside)) continue;
    // The trapezoid rule is wrong by h³ times a twelfth of the third derivative.
    EXPECT_NEAR(b.value - a.value, 0.5 * h * (a.first + b.first), 20.0 * h * h * h + 1e-15);
    largest.velocity = std::max(largest.velocity, std::abs(a.first));
    largest.acceleration = std::max(largest.acceleration, std::abs(a.second));
    largest.jerk = std::max(largest.jerk, std::abs(b.second - a.second) / h);
  }
  return largest;
}

void expectRest(const control::TimeFunction& move, double start, double from, double end,
                double to) {
  for (const double before : {start - 1.0, std::nextafter(start, -10.0)}) {
    EXPECT_EQ(move.at(before).value, from);
    EXPECT_EQ(move.at(before).first, 0.0);
  }
  EXPECT_NEAR(move.at(end).value, to, 1e-15);
  EXPECT_EQ(move.at(end).second, 0.0);
  const Taylor2 last = move.at(std::nextafter(end, 0.0));
  EXPECT_NEAR(last.value, to, 1e-14);
  EXPECT_NEAR(last.first, 0.0, 1e-14);
}

TEST(MotionProfiles, ATrapezoidCruisesAtItsLargestVelocity) {
  // Ramps of 0.9/2 s and 1.2/0.9 − 0.45 s of cruise.
  const PiecewiseMove move = control::makeTrapezoid(0.5, 1.0, -1.2, {0.9, 2.0});
  const double cruise = 1.2 / 0.9 - 0.45;
  EXPECT_NEAR(move.end(), 0.5 + 0.9 + cruise, 1e-15);
  ASSERT_EQ(move.breaks().size(), 4u);
  EXPECT_NEAR(move.breaks()[2], 0.5 + 0.45 + cruise, 1e-15);
  expectRest(move, 0.5, 1.0, move.end(), -0.2);
  const Taylor2 ramp = move.at(0.7);
  EXPECT_NEAR(ramp.value, 1.0 - 0.04, 1e-15);
  EXPECT_NEAR(ramp.first, -0.4, 1e-15);
  EXPECT_NEAR(ramp.second, -2.0, 1e-15);
  EXPECT_NEAR(move.at(0.95).value, 1.0 - 0.2025, 1e-15);
  EXPECT_NEAR(move.at(1.2).first, -0.9, 1e-15);
  EXPECT_NEAR(walk(move, 0.5, move.end()).velocity, 0.9, 1e-14);
}

TEST(MotionProfiles, AShortTrapezoidIsATriangle) {
  // ½ A T_r² is half the way: T_r = √(0.5/2) = 0.5, and the velocity is 1.
  const PiecewiseMove move = control::makeTrapezoid(0.0, 0.0, 0.5, {3.0, 2.0});
  EXPECT_NEAR(move.end(), 1.0, 1e-15);
  EXPECT_EQ(move.breaks().size(), 3u);
  expectRest(move, 0.0, 0.0, move.end(), 0.5);
  EXPECT_NEAR(walk(move, 0.0, 1.0).velocity, 1.0, 1e-4);
}

struct SCurveCase {
  double distance;
  control::MoveLimits limits;
  double jerk;
  double duration;  // and what it reaches, by hand from (13.13)
  double velocity, acceleration;
  std::size_t breaks;
};

TEST(MotionProfiles, SCurvesAreTheFastestWithinTheirLimits) {
  const std::vector<SCurveCase> cases{
      // Both limits reached: jerk ¼ s, ramps ¾ s, cruise 2/1 − ¾ s.
      {2.0, {1.0, 2.0}, 8.0, 2.75, 1.0, 2.0, 8},
      // The velocity only: jerk ½ s, ramps 1 s, cruise 1 s.
      {2.0, {1.0, 10.0}, 4.0, 3.0, 1.0, 2.0, 6},
      // The acceleration only: jerk ¼ s, ramps 1 s that cover 1·(1 − ¼)·1 together.
      {0.75, {10.0, 1.0}, 4.0, 2.0, 0.75, 1.0, 7},
      // Neither: jerk ∛(1/8) s, velocity 4·¼, acceleration 4·½.
      {1.0, {10.0, 10.0}, 4.0, 2.0, 1.0, 2.0, 5}};
  for (const SCurveCase& c : cases) {
    for (const double sign : {1.0, -1.0}) {
      const PiecewiseMove move = control::makeSCurve(0.3, 0.2, sign * c.distance, c.limits, c.jerk);
      EXPECT_NEAR(move.end(), 0.3 + c.duration, 1e-14);
      EXPECT_EQ(move.breaks().size(), c.breaks);
      expectRest(move, 0.3, 0.2, move.end(), 0.2 + sign * c.distance);
      const Largest largest = walk(move, 0.3, move.end());
      EXPECT_NEAR(largest.velocity, c.velocity, 1e-3);
      EXPECT_NEAR(largest.acceleration, c.acceleration, 5e-3);
      EXPECT_NEAR(largest.jerk, c.jerk, 1e-5);
    }
  }
}

TEST(MotionProfiles, SCurvesBreakWhereTheJerkJumps) {
  const PiecewiseMove move = control::makeSCurve(0.0, 0.0, 1.0, {10.0, 10.0}, 4.0);
  const std::vector<double> expected{0.0, 0.5, 1.0, 1.5, 2.0};
  const std::vector<double> breaks = move.breaks();
  for (const double time : expected) {
    EXPECT_TRUE(std::any_of(breaks.begin(), breaks.end(), [&](double b) {
      return std::abs(b - time) < 1e-14;
    })) << time;
  }
}

TEST(MotionProfiles, PolynomialsAreSmoothAtBothEnds) {
  // Largest velocities 3/2, 15/8 and 35/16 of distance over duration, at half time.
  const std::vector<std::pair<int, double>> cases{{3, 1.5}, {5, 1.875}, {7, 2.1875}};
  for (const auto& [order, peak] : cases) {
    const PolynomialMove move(1.0, 0.5, -3.0, 2.0, order);
    expectRest(move, 1.0, 0.5, 3.0, -2.5);
    const Taylor2 middle = move.at(2.0);
    EXPECT_NEAR(middle.value, -1.0, 1e-14);
    EXPECT_NEAR(middle.first, -1.5 * peak, 1e-14);
    EXPECT_NEAR(middle.second, 0.0, 1e-13);
    EXPECT_NEAR(walk(move, 1.0, 3.0).velocity, 1.5 * peak, 1e-6);
    EXPECT_NEAR(move.at(1.0).second, order == 3 ? -3.0 * 6.0 / 4.0 : 0.0, 1e-14);
    EXPECT_NEAR(move.at(1.0 + 1e-4).second, order == 7 ? 0.0 : move.at(1.0).second, 1e-2);
  }
}

// The driven mass follows the profile, and the force in the drive is mass times acceleration.
TEST(MotionProfiles, DriveAJoint) {
  const ModelRun run = runModel(R"(
nodes: {cart: [0, 0, 0]}
bodies: {cart: {node: cart, mass: 2, inertia: [1, 1, 1]}}
joints: {guide: {type: slider, between: [ground, cart], axis: [1, 0, 0], drive: move}}
blocks: {move: {type: s_curve, distance: 2, velocity: 1, acceleration: 2, jerk: 8}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
  a: {measure: acceleration, node: cart, direction: [1, 0, 0]}
outputs: [x, v, a]
analysis: {time: {end: 0.4, step: 1 ms}}
)");
  // Jerk 8 for 0.25 s, then acceleration 2 for 0.15 s.
  const double v = 0.25 + 2 * 0.15;
  const double x = 8 * std::pow(0.25, 3) / 6 + 0.25 * 0.15 + 0.15 * 0.15;
  EXPECT_NEAR(run.last("x"), x, 1e-10);
  EXPECT_NEAR(run.last("v"), v, 1e-5);
  EXPECT_NEAR(run.last("a"), 2.0, 1e-2);
}

TEST(MotionProfiles, AreRefusedWhereTheyMakeNoSense) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf("blocks: {s: {" + block + "}}\n"), message));
  };
  expectTold("type: polynomial, distance: 1, duration: 1, order: 4", "3, 5 or 7");
  expectTold("type: polynomial, distance: 1, duration: 0", "positive");
  expectTold("type: trapezoid, distance: 1, velocity: -1, acceleration: 1", "positive");
  expectTold("type: s_curve, distance: 1, velocity: 1, acceleration: 1", "'jerk' is missing");
}

}  // namespace
}  // namespace flexloop::test
