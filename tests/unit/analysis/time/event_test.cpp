// Steps end where branches end, and the simulation goes on from there.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A cart of 1 kg that the signal u pushes, with its position x and velocity v.
std::string cart(const std::string& blocks, const std::string& time,
                 const std::string& node = "position: [0, 0, 0], free: [x]") {
  return "nodes: {cart: {" + node +
         "}}\n"
         "bodies: {cart: {node: cart, mass: 1}}\n"
         "sensors:\n"
         "  x: {measure: position, node: cart, direction: [1, 0, 0]}\n"
         "  v: {measure: velocity, node: cart, direction: [1, 0, 0]}\n"
         "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n"
         "outputs: [x, v, u]\n"
         "blocks:\n" +
         blocks + "analysis: {time: {" + time + "}}\n";
}

// Blocks that only watch the time, as the signal `t`.
std::string diagram(const std::string& blocks) {
  return "blocks:\n  t: {type: ramp, slope: 1}\n" + blocks;
}

void expectNear(const std::vector<double>& found, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// v' = ±1 between −0.1 and 0.1: a triangle, on which the time scheme is exact.
constexpr const char* kTriangle =
    "  u: {type: relay, input: v, on_above: 0.1, off_below: -0.1, on_value: -1, off_value: 1}\n";

TEST(Events, ARelayWithAnIntegratorSwitchesAtTheTimesOfItsTriangle) {
  const ModelRun run = runModel(cart(kTriangle, "end: 2, step: 0.031"));
  std::vector<double> expected;
  for (int k = 0; k < 10; ++k) expected.push_back(0.1 + 0.2 * k);
  EXPECT_EQ(run.report.events, 10);
  expectNear(run.interruptions(), expected, 1e-8 * 0.2);
  EXPECT_NEAR(run.last("v"), 0.0, 1e-8);
  EXPECT_NEAR(run.last("x"), 0.0, 1e-9);
}

// With the step 0.05 every second time is a point of the grid, up to round-off on either side of it.
TEST(Events, AtTheEndOfAStepTheyAreNotMissed) {
  const ModelRun run = runModel(cart(kTriangle, "end: 2, step: 0.05"));
  EXPECT_NEAR(run.last("v"), 0.0, 1e-8);
  EXPECT_NEAR(run.last("x"), 0.0, 1e-9);
  for (int k = 0; k < 10; ++k) {
    const double time = 0.1 + 0.2 * k;
    EXPECT_NEAR(run.at(time, "v"), k % 2 == 0 ? 0.1 : -0.1, 1e-8);
    EXPECT_EQ(run.at(time + 0.05, "u"), k % 2 == 0 ? -1.0 : 1.0);
  }
  EXPECT_EQ(run.times().size(), 41u);
}

TEST(Events, InTheFirstStep) {
  const ModelRun run = runModel(cart(kTriangle, "end: 0.7, step: 0.7"));
  expectNear(run.interruptions(), {0.1, 0.3, 0.5}, 1e-8 * 0.7);
  EXPECT_NEAR(run.last("v"), -0.1, 2e-8);
}

TEST(Events, AModeThatDoesNotFitTheStartIsCorrectedThere) {
  const std::string moving = "position: [0, 0, 0], free: [x], velocity: [0.5, 0, 0]";
  const ModelRun run = runModel(cart(kTriangle, "end: 0.99, step: 0.031", moving));
  EXPECT_EQ(run.column("u").front(), -1.0);
  expectNear(run.interruptions(), {0.6, 0.8}, 1e-8);
  EXPECT_NEAR(run.at(0.31, "x"), 0.5 * 0.31 - 0.5 * 0.31 * 0.31, 1e-12);
}

TEST(Events, AModeThatBothCanBeStartsAsTheUserSays) {
  const std::string on =
      "  u: {type: relay, input: v, on_above: 0.1, off_below: -0.1, on_value: -1, off_value: 1, "
      "initial: on}\n";
  const ModelRun run = runModel(cart(on, "end: 0.4, step: 0.03"));
  expectNear(run.interruptions(), {0.1, 0.3}, 1e-8);
  EXPECT_NEAR(run.at(0.03, "v"), -0.03, 1e-12);
}

// x'' + 0.4 x' + 4 x = ±1, switched at x = ±0.1. Times and final state from the closed form between
// the switches and 90 bisections of it, in 30 digits (mpmath):
//   x = e + exp(-0.2 t) (y cos wt + (v0 + 0.2 y)/w sin wt), e = u/4, y = x0 - e, w = sqrt(3.96)
constexpr double kSwitchTimes[] = {0.47942299133336735, 1.330437546739086,  2.33952409092319,
                                   3.4082289522697216,  4.506763369238354,  5.621896573743478,
                                   6.74677556028557,    7.87755126140382,   9.01195855747258,
                                   10.148626596107368,  11.286711351401916, 12.425687579889459,
                                   13.56522622491597,   14.705120268564292, 15.845239124516999,
                                   16.985500281066386,  18.12585154740173,  19.26625988930567};
constexpr double kLastPosition = -0.24689748800116057, kLastVelocity = 0.5946269052409457;

std::string oscillator(const std::string& time, const std::string& relay = "") {
  return cart(
             "  u: {type: relay, input: x, on_above: 0.1, off_below: -0.1, on_value: -1, "
             "off_value: 1" +
                 relay + "}\n",
             time) +
         "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 4, "
         "damping: 0.4}}\n";
}

double stateError(const ModelRun& run) {
  return std::hypot(run.last("x") - kLastPosition, run.last("v") - kLastVelocity);
}

// Between steps of 20 ms and 5 ms: how near the switches happen to be to the ends of steps scatters the errors.
TEST(Events, ManyOfThemLeaveTheOrderAtTwo) {
  std::vector<double> errors, timeErrors;
  for (const char* step : {"0.02", "0.01", "0.005"}) {
    const ModelRun run = runModel(oscillator("end: 20, rho: 0.8, step: " + std::string(step)));
    const std::vector<double> times = run.interruptions();
    ASSERT_EQ(times.size(), std::size(kSwitchTimes));
    double timeError = 0.0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      timeError = std::max(timeError, std::abs(times[i] - kSwitchTimes[i]));
    }
    errors.push_back(stateError(run));
    timeErrors.push_back(timeError);
  }
  EXPECT_GT(0.5 * std::log2(errors.front() / errors.back()), 1.95);
  EXPECT_GT(0.5 * std::log2(timeErrors.front() / timeErrors.back()), 1.95);
  EXPECT_LT(errors.back(), 5e-4);
}

TEST(Events, AdaptiveStepsKeepTheirTolerance) {
  double previous = 1.0;
  for (const char* tolerance : {"1e-6", "1e-8"}) {
    const ModelRun run = runModel(oscillator(
        "end: 20, step: 0.5, rho: 0.8, adaptive: true, tolerance: " + std::string(tolerance)));
    EXPECT_EQ(run.report.events, 18);
    EXPECT_EQ(run.times().back(), 20.0);
    // A local error of order 3: the global one falls with the power 2/3 of the tolerance.
    EXPECT_LT(stateError(run), previous / 15.0);
    previous = stateError(run);
  }
  EXPECT_LT(previous, 5e-4);
}

TEST(Events, WithoutThemABlockSwitchesAtTheEndOfTheStep) {
  const ModelRun run = runModel(oscillator("end: 20, step: 0.02", ", events: false"));
  EXPECT_EQ(run.report.events, 0);
  EXPECT_TRUE(run.interruptions().empty());
  // 0.4794… is in the step that ends at 0.48.
  EXPECT_EQ(run.at(0.46, "u"), 1.0);
  EXPECT_EQ(run.at(0.48, "u"), -1.0);
  EXPECT_GT(stateError(run), 0.01);
}

TEST(Events, TwoRunsGiveTheSameBits) {
  const std::string model = oscillator("end: 20, step: 0.02");
  const ModelRun first = runModel(model), second = runModel(model);
  EXPECT_EQ(first.stepEnds, second.stepEnds);
  EXPECT_TRUE(first.lastState == second.lastState);
}

// Constraints: a cart on a rail pushes one that stands on it. The acceleration of both is known.
TEST(Events, ShortStepsDoNotSpoilConstrainedMotion) {
  const std::string model =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
      "sensors:\n"
      "  v: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
      "  f: {measure: force, joint: rail, direction: [0, 0, 1]}\n"
      "loads: {push: {node: a, force: [1, 0, 0], signal: u}}\n"
      "blocks:\n" +
      std::string(kTriangle) + "analysis: {time: {end: 2, step: STEP}}\n";
  // Switches fall on the grid, a hair before and a hair behind it.
  for (const char* step : {"0.05", "0.0500000001", "0.0499999999", "0.050000002", "0.049999998"}) {
    std::string text = model;
    text.replace(text.find("STEP"), 4, step);
    const ModelRun run = runModel(text);
    EXPECT_NEAR(run.last("v"), 0.0, 2e-8) << step;
    for (const double f : run.column("f")) ASSERT_NEAR(std::abs(f), 9.81, 1e-6) << step;
  }
}

TEST(Events, BreaksNearThemAreStillReached) {
  for (const double gap : {0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-4, -1e-12, -1e-7}) {
    char blocks[512];
    // The relay turns on a gap before the source jumps at 0.525, between two points of the grid.
    std::snprintf(blocks, sizeof blocks,
                  "  relay: {type: relay, input: t, on_above: %.17g}\n"
                  "  jump: {type: step, at: 0.525, to: 1}\n",
                  0.525 - gap);
    const ModelRun run = runModel(diagram(blocks), "t, relay, jump", "end: 1, step: 0.05");
    const auto& ends = run.stepEnds;
    EXPECT_EQ(std::count(ends.begin(), ends.end(), 0.525), 1) << gap;
    EXPECT_EQ(run.at(0.5, "jump"), 0.0);
    EXPECT_EQ(run.at(0.55, "jump"), 1.0);
    EXPECT_EQ(run.at(0.55, "relay"), 1.0);
    EXPECT_EQ(run.times().size(), 21u);
  }
}

TEST(Events, BlocksThatSwitchAtTheSameInstant) {
  const ModelRun run =
      runModel(diagram("  a: {type: relay, input: t, on_above: 0.37}\n"
                       "  b: {type: comparison, input: t, to: 0.37, relation: less}\n"
                       "  c: {type: switch, control: t, threshold: 0.37, above: 5, below: t}\n"),
               "a, b, c", "end: 1, step: 0.1");
  EXPECT_LE(run.report.events, 3);  // differences of round-off
  expectNear({run.interruptions().front()}, {0.37}, 1e-8);
  for (const double t : {0.3, 0.4, 1.0}) {
    EXPECT_EQ(run.at(t, "a"), t > 0.35 ? 1.0 : 0.0);
    EXPECT_EQ(run.at(t, "b"), t > 0.35 ? 0.0 : 1.0);
    EXPECT_NEAR(run.at(t, "c"), t > 0.35 ? 5.0 : t, 1e-14);
  }
}

TEST(Events, ACascadeSwitchesAtOneInstant) {
  std::string blocks = "  n0: {type: comparison, input: t, to: 0.37, relation: greater}\n";
  for (int k = 1; k <= 60; ++k) {
    blocks += "  n" + std::to_string(k) + ": {type: logic, inputs: n" + std::to_string(k - 1) +
              ", operation: not}\n";
  }
  blocks +=
      "  s: {type: switch, control: n60, above: t, below: m}\n  m: {type: gain, input: t, gain: "
      "-1}\n";
  const ModelRun run = runModel(diagram(blocks), "n0, n59, n60, s", "end: 1, step: 0.1");
  EXPECT_EQ(run.report.events, 1);
  EXPECT_EQ(run.at(0.3, "n60"), 0.0);
  EXPECT_EQ(run.at(0.3, "n59"), 1.0);
  EXPECT_NEAR(run.at(0.3, "s"), -0.3, 1e-14);
  EXPECT_EQ(run.at(0.4, "n60"), 1.0);
  EXPECT_EQ(run.at(0.4, "n59"), 0.0);
  EXPECT_NEAR(run.at(0.4, "s"), 0.4, 1e-14);
}

// Without hysteresis the velocity stays at 0.1: the relay would have to switch infinitely often.
TEST(Events, ChatteringGoesOnAtTheRateOfTheSteps) {
  const ModelRun run =
      runModel(cart("  u: {type: relay, input: v, on_above: 0.1, on_value: -1, off_value: 1}\n",
                    "end: 2, step: 0.01"));
  EXPECT_NEAR(run.report.firstChatter, 0.1, 1e-5);
  EXPECT_GT(run.report.chatteringSteps, 100);
  EXPECT_LT(run.report.steps, 1500);
  EXPECT_NEAR(run.last("x"), 0.5 * 0.01 + 0.1 * 1.9, 0.01 * 1.9);
  for (std::size_t i = 10; i < run.times().size(); ++i) {
    ASSERT_NEAR(run.column("v")[i], 0.1, 0.011);
  }
}

TEST(Events, BlocksThatSwitchEachOtherWithoutEndAreNamed) {
  const ModelRun run = tryModel(diagram("  e: {type: sum, inputs: [t, -r]}\n"
                                        "  r: {type: relay, input: e, on_above: 0.35}\n"),
                                "e, r", "end: 1, step: 0.1");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "at t = 0.35"));
  EXPECT_TRUE(says(messageOf(run.report.failure), "'r', 'e'"));
  EXPECT_TRUE(says(messageOf(run.report.failure), "hysteresis"));
}

// Also where what they give is as small as round-off elsewhere.
TEST(Events, BlocksThatSwitchEachOtherByLittleAreNamed) {
  const ModelRun run =
      tryModel(diagram("  e: {type: sum, inputs: [t, -r]}\n"
                       "  r: {type: relay, input: e, on_above: 0.35, on_value: 5e-10}\n"),
               "e, r", "end: 1, step: 0.1");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "keep switching each other: 'r'"))
      << messageOf(run.report.failure);
}

// With stiff modes, whose factors belong to the length of the step, borrowed ones give the same.
TEST(Events, StepsBesideThemAreRightWithStiffParts) {
  const std::string spring =
      "gravity: [0, 0, 0]\n"
      "nodes: {m: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}, n: {position: [1, 0, 0], "
      "free: [x], "
      "velocity: [1, 0, 0]}}\n"
      "bodies: {m: {node: m, mass: 1}, n: {node: n, mass: 1}}\n"
      "springs: {k: {type: linear, between: [m, n], direction: [1, 0, 0], stiffness: 1e9}}\n"
      "sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}\n"
      "blocks: {encoder: {type: quantizer, input: x, step: 0.3 mm}}\n"
      "loads: {push: {node: m, force: [1000, 0, 0], signal: encoder}}\n";
  const ModelRun run = runModel(spring, "x, encoder", "end: 0.1, step: 1 ms");
  EXPECT_GT(run.report.events, 300);
  // Of the rigid pair, x'' = 500 e(x), with the treads of 0.3 mm passed one by one.
  double x = 0.0, v = 1.0, t = 0.0;
  for (int level = 0;; ++level) {
    const double a = 500.0 * 0.3e-3 * level, end = 0.3e-3 * (level + 0.5);
    const double next = std::sqrt(v * v + 2.0 * a * (end - x));
    const double duration = 2.0 * (end - x) / (v + next);
    if (t + duration > 0.1) {
      x += (v + 0.5 * a * (0.1 - t)) * (0.1 - t);
      break;
    }
    t += duration;
    x = end;
    v = next;
  }
  EXPECT_NEAR(run.last("x"), x, 1e-5);
}

}  // namespace
}  // namespace flexloop::test
