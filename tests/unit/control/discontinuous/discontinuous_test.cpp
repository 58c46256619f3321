// Discontinuous blocks: what they give, against closed forms (docs/theory/15_discontinuous_blocks.md).
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using std::numbers::pi;

// A diagram with the time as signal `t` and the block `y`.
std::string diagram(const std::string& blocks) {
  return "blocks:\n  t: {type: ramp, slope: 1}\n" + blocks;
}

ModelRun watch(const std::string& blocks, const std::string& time) {
  return runModel(diagram(blocks), "y", time);
}

// What the block gives at the start for a constant input.
double outputFor(const std::string& type, double input) {
  const ModelRun run =
      watch("  u: {type: constant, value: " + std::to_string(input) + "}\n  y: {" + type + "}\n",
            "end: 0.1, step: 0.1");
  EXPECT_EQ(run.column("y").front(), run.last("y")) << type << " " << input;
  return run.column("y").front();
}

TEST(Saturation, KeepsItsLimits) {
  for (const char* events : {"", ", events: true"}) {
    const std::string type =
        std::string("type: saturation, input: u, lower: -1, upper: 0.5") + events;
    EXPECT_EQ(outputFor(type, -3.0), -1.0);
    EXPECT_EQ(outputFor(type, -0.25), -0.25);
    EXPECT_EQ(outputFor(type, 0.5), 0.5);
    EXPECT_EQ(outputFor(type, 2.0), 0.5);
  }
  EXPECT_EQ(outputFor("type: saturation, input: u, upper: 0.5", -1000.0), -1000.0);
  EXPECT_EQ(outputFor("type: saturation, input: u, lower: 0.5", 1000.0), 1000.0);
}

TEST(DeadZone, IsZeroInsideAndShiftedOutside) {
  EXPECT_EQ(outputFor("type: dead_zone, input: u, width: 1", 0.25), 0.0);
  EXPECT_EQ(outputFor("type: dead_zone, input: u, width: 1", 2.0), 1.5);
  EXPECT_EQ(outputFor("type: dead_zone, input: u, width: 1", -2.0), -1.5);
  const std::string type = "type: dead_zone, input: u, lower: -0.25, upper: 1, events: true";
  EXPECT_EQ(outputFor(type, 0.75), 0.0);
  EXPECT_EQ(outputFor(type, 1.5), 0.5);
  EXPECT_EQ(outputFor(type, -0.5), -0.25);
}

// x'' = −sat(x) from rest at x = 2: a parabola to x = 1 at √2 s, then a wave to x = −1.
struct SaturatedSpring {
  static constexpr double kEnter = std::numbers::sqrt2;
  // x = cos s − √2 sin s is −1 where tan(s/2) = 1/√2.
  static double leave() { return kEnter + 2.0 * std::atan(1.0 / std::numbers::sqrt2); }
  static double position(double t) {
    if (t < kEnter) return 2.0 - 0.5 * t * t;
    const double s = t - kEnter;
    return std::cos(s) - std::numbers::sqrt2 * std::sin(s);
  }
};

ModelRun runSaturatedSpring(const std::string& events, double step) {
  return runModel(
      "nodes: {cart: {position: [2, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 1}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "loads: {push: {node: cart, force: [-1, 0, 0], signal: s}}\n"
      "blocks: {s: {type: saturation, input: x, lower: -1, upper: 1" +
          events + "}}\n",
      "x", "end: 2.6, step: " + std::to_string(step));
}

TEST(Saturation, InALoopFollowsTheClosedForm) {
  ASSERT_GT(SaturatedSpring::leave(), 2.6);
  for (const char* events : {"", ", events: true"}) {
    double previous = 0.0;
    for (const double step : {0.02, 0.01}) {
      const ModelRun run = runSaturatedSpring(events, step);
      double error = 0.0;
      for (std::size_t i = 0; i < run.times().size(); ++i) {
        const double exact = SaturatedSpring::position(run.times()[i]);
        error = std::max(error, std::abs(run.column("x")[i] - exact));
      }
      EXPECT_LT(error, 2e-4);
      if (previous > 0.0) {
        EXPECT_GT(std::log2(previous / error), 1.8) << events;
      }
      previous = error;
      if (*events == '\0') continue;
      ASSERT_EQ(run.interruptions().size(), 1u);
      EXPECT_NEAR(run.interruptions()[0], SaturatedSpring::kEnter, 1e-9);
    }
  }
}

// y = sat(t − 2 y): first t/3, from t = 1.5 on 0.5; alone, and beside a machine at rest, whose
// accelerations are nothing but round-off.
TEST(Saturation, SolvesAnAlgebraicLoop) {
  const std::string machine =
      "nodes: {cart: {position: [1, 0, 0], free: [x]}}\nbodies: {cart: {node: cart, mass: 1}}\n";
  for (const std::string& beside : {std::string(), machine}) {
    for (const std::string events : {"false", "true"}) {
      const ModelRun run =
          runModel(beside +
                       "blocks:\n"
                       "  t: {type: ramp, slope: 1}\n"
                       "  e: {type: sum, inputs: [t, -y, -y]}\n"
                       "  y: {type: saturation, input: e, lower: -0.5, upper: 0.5, events: " +
                       events + "}\n",
                   "y", "end: 3, step: 0.1");
      for (const double t : run.times()) {
        ASSERT_NEAR(run.at(t, "y"), std::min(t / 3.0, 0.5), 1e-12);
      }
    }
  }
}

TEST(Relay, GivesItsValuesByTheInput) {
  const std::string type =
      "type: relay, input: u, on_above: 0.5, off_below: -0.5, on_value: 7, off_value: -3";
  EXPECT_EQ(outputFor(type, 0.75), 7.0);
  EXPECT_EQ(outputFor(type, -0.75), -3.0);
  EXPECT_EQ(outputFor(type, 0.0), -3.0);
  EXPECT_EQ(outputFor(type + ", initial: on", 0.0), 7.0);
  EXPECT_EQ(outputFor(type + ", initial: on", -0.75), -3.0);
}

TEST(Switch, ChoosesBetweenItsSignals) {
  const std::string type = "type: switch, control: u, above: 4, below: 5";
  EXPECT_EQ(outputFor(type, 1.0), 4.0);
  EXPECT_EQ(outputFor(type, 0.5), 5.0);
  EXPECT_EQ(outputFor(type + ", threshold: 2", 1.0), 5.0);
}

TEST(Switch, HasAHysteresis) {
  // u = 1 − |t − 1| goes up and down.
  const ModelRun run = watch(
      "  u: {type: table, time: [0, 1, 2], value: [0, 1, 0]}\n"
      "  y: {type: switch, control: u, threshold: 0.5, hysteresis: 0.3, above: 1, below: 0}\n",
      "end: 2, step: 0.1");
  ASSERT_EQ(run.interruptions().size(), 2u);
  EXPECT_NEAR(run.interruptions()[0], 0.65, 1e-9);
  EXPECT_NEAR(run.interruptions()[1], 1.65, 1e-9);
}

TEST(Comparison, TellsGreaterLessAndEqual) {
  const std::string type = "type: comparison, input: u, to: 0.25, relation: ";
  for (const double u : {-1.0, 0.25, 0.3125, 2.0}) {
    EXPECT_EQ(outputFor(type + "greater", u), u > 0.25 ? 1.0 : 0.0) << u;
    EXPECT_EQ(outputFor(type + "less", u), u < 0.25 ? 1.0 : 0.0) << u;
    EXPECT_EQ(outputFor(type + "equal, tolerance: 0.0625", u), std::abs(u - 0.25) < 0.1) << u;
  }
}

TEST(Comparison, EqualityLastsAsLongAsTheToleranceAllows) {
  const ModelRun run =
      watch("  y: {type: comparison, input: t, to: 0.5, relation: equal, tolerance: 0.12}\n",
            "end: 1, step: 0.1");
  ASSERT_EQ(run.interruptions().size(), 2u);
  EXPECT_NEAR(run.interruptions()[0], 0.38, 1e-9);
  EXPECT_NEAR(run.interruptions()[1], 0.62, 1e-9);
  EXPECT_EQ(run.at(0.3, "y"), 0.0);
  EXPECT_EQ(run.at(0.5, "y"), 1.0);
  EXPECT_EQ(run.at(0.7, "y"), 0.0);
}

TEST(Logic, HasTheUsualTruthTables) {
  const std::vector<std::pair<std::string, std::string>> tables{// of 00, 01, 10, 11
                                                                {"and", "0001"},
                                                                {"or", "0111"},
                                                                {"xor", "0110"},
                                                                {"nand", "1110"},
                                                                {"nor", "1000"}};
  for (const auto& [operation, table] : tables) {
    for (int k = 0; k < 4; ++k) {
      const std::string type =
          "type: logic, inputs: [u, " + std::to_string(k / 2) + "], operation: " + operation;
      EXPECT_EQ(outputFor(type, k % 2), table[k] - '0') << operation << " " << k;
    }
  }
  EXPECT_EQ(outputFor("type: logic, inputs: u, operation: not", 0.0), 1.0);
  EXPECT_EQ(outputFor("type: logic, inputs: u, operation: not", 1.0), 0.0);
  EXPECT_EQ(outputFor("type: logic, inputs: [u, 1, 1], operation: xor", 1.0), 1.0);
  EXPECT_EQ(outputFor("type: logic, inputs: [u, 1, 1], operation: xor", 0.0), 0.0);
}

TEST(Logic, ALoopOfItRemembers) {
  // Set from 0.33 to 0.45, reset from 0.71 on.
  const ModelRun run = watch(
      "  low: {type: comparison, input: t, to: 0.33, relation: greater}\n"
      "  high: {type: comparison, input: t, to: 0.45, relation: less}\n"
      "  set: {type: logic, inputs: [low, high], operation: and}\n"
      "  keep: {type: comparison, input: t, to: 0.71, relation: less}\n"
      "  held: {type: logic, inputs: [y, keep], operation: and}\n"
      "  y: {type: logic, inputs: [set, held], operation: or}\n",
      "end: 1, step: 0.1");
  for (const double t : run.times()) {
    EXPECT_EQ(run.at(t, "y"), t > 0.33 && t < 0.71 ? 1.0 : 0.0) << t;
  }
}

TEST(Quantizer, RoundsInEveryDirection) {
  const std::string type = "type: quantizer, input: u, step: 0.25, rounding: ";
  const std::vector<std::pair<std::string, double (*)(double)>> roundings{
      {"nearest", std::round}, {"down", std::floor}, {"up", std::ceil}, {"to_zero", std::trunc}};
  for (const auto& [name, function] : roundings) {
    for (const double u : {-1.0, -0.6, -0.125, -0.1, 0.0, 0.1, 0.125, 0.25, 0.3, 0.5, 0.7, 10.0}) {
      EXPECT_EQ(outputFor(type + name, u), 0.25 * function(4.0 * u)) << name << " " << u;
    }
  }
}

TEST(Quantizer, ChangesItsLevelAtTheEdgesOfTheTreads) {
  const ModelRun run = watch(
      "  u: {type: expression, value: 0.9*sin(2*pi*t)}\n"
      "  y: {type: quantizer, input: u, step: 0.5}\n",
      "end: 1, step: 0.013");
  // |u| passes 0.25 and 0.75.
  std::vector<double> expected;
  for (const double level : {0.25, 0.75}) {
    const double t = std::asin(level / 0.9) / (2.0 * pi);
    expected.insert(expected.end(), {t, 0.5 - t, 0.5 + t, 1.0 - t});
  }
  std::sort(expected.begin(), expected.end());
  const std::vector<double> found = run.interruptions();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
  for (const double t : run.times()) {
    const double u = 0.9 * std::sin(2.0 * pi * t);
    EXPECT_EQ(run.at(t, "y"), 0.5 * std::round(u / 0.5)) << t;
  }
}

TEST(Quantizer, ManyLevelsInOneStepArePassed) {
  for (const char* events : {"true", "false"}) {
    const ModelRun run =
        watch("  y: {type: quantizer, input: t, step: 1e-5, rounding: down, events: " +
                  std::string(events) + "}\n",
              "end: 1, step: 0.1");
    for (const double t : run.times()) EXPECT_NEAR(run.at(t, "y"), t, 1.0001e-5);
  }
}

// The play of a sine: it follows to the peak A − w/2, rests until the input has gone back by w, and so
// on.
double playOfSine(double t, double amplitude, double width) {
  const double half = 0.5 * width, u = amplitude * std::sin(2.0 * pi * t);
  const double turn = std::asin(1.0 - width / amplitude) / (2.0 * pi);  // u = A − w
  const double phase = t - std::floor(t);
  if (t < 0.25) return std::max(u - half, 0.0);
  if (phase < 0.25) return u - half;
  if (phase < 0.5 - turn) return amplitude - half;
  if (phase < 0.75) return u + half;
  if (phase < 1.0 - turn) return -amplitude + half;
  return u - half;
}

TEST(Backlash, OfASineIsTheKnownLoop) {
  for (const char* events : {"true", "false"}) {
    // The peaks are points of the grid, so that nothing is lost at them.
    const ModelRun run = watch(
        "  u: {type: sine, amplitude: 2, frequency: 1}\n"
        "  y: {type: backlash, input: u, width: 0.6, events: " +
            std::string(events) + "}\n",
        "end: 3, step: 0.0125");
    for (const double t : run.times()) {
      ASSERT_NEAR(run.at(t, "y"), playOfSine(t, 2.0, 0.6), 1e-12) << t << " " << events;
    }
  }
}

TEST(Backlash, ContactIsLocated) {
  const ModelRun run = watch(
      "  u: {type: sine, amplitude: 2, frequency: 1}\n"
      "  y: {type: backlash, input: u, width: 0.6}\n",
      "end: 2, step: 0.0125");
  const double turn = std::asin(1.0 - 0.3) / (2.0 * pi);
  const std::vector<double> expected{std::asin(0.15) / (2.0 * pi), 0.5 - turn, 1.0 - turn,
                                     1.5 - turn, 2.0 - turn};
  const std::vector<double> found = run.interruptions();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10) << i;
}

TEST(Backlash, WhatIsLostAtAPeakIsOfOrderTwo) {
  for (const double step : {0.0213, 0.0107, 0.0053, 0.0027}) {
    const ModelRun run = watch(
        "  u: {type: sine, amplitude: 2, frequency: 1}\n"
        "  y: {type: backlash, input: u, width: 0.6}\n",
        "end: 0.294, step: " + std::to_string(step));
    // The peak is at most half a step from a point of the grid: A − A cos(π h).
    EXPECT_NEAR(run.last("y"), 1.7, 2.0 * (1.0 - std::cos(pi * step))) << step;
  }
}

TEST(Backlash, AJumpOfTheInputIsRemembered) {
  // u jumps to 1 and goes back at once; the output stays at 1 − 0.2.
  const ModelRun run = watch(
      "  jump: {type: step, at: 0.25, to: 1}\n"
      "  back: {type: ramp, start: 0.25, slope: -1}\n"
      "  slow: {type: gain, input: t, gain: 0.8}\n"
      "  u: {type: sum, inputs: [slow, jump, back]}\n"
      "  y: {type: backlash, input: u, width: 0.4}\n",
      "end: 1, step: 0.1");
  for (const double t : {0.3, 0.5, 1.0}) EXPECT_NEAR(run.at(t, "y"), 1.0, 1e-12) << t;
}

TEST(Backlash, StartsWhereThePlayAllows) {
  EXPECT_EQ(outputFor("type: backlash, input: u, width: 1, initial: 0.25", 0.5), 0.25);
  EXPECT_EQ(outputFor("type: backlash, input: u, width: 1", 2.0), 1.5);
  EXPECT_EQ(outputFor("type: backlash, input: u, width: 1, initial: 9", 2.0), 2.5);
}

// A cart of 2 kg with the clutch between it and ground.
ModelRun runClutch(const std::string& clutch, const std::string& more, const std::string& time,
                   double velocity = 0.0) {
  return runModel("nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [" +
                      std::to_string(velocity) +
                      ", 0, 0]}}\n"
                      "bodies: {cart: {node: cart, mass: 2}}\n"
                      "sensors:\n"
                      "  x: {measure: position, node: cart, direction: [1, 0, 0]}\n"
                      "  v: {measure: velocity, node: cart, direction: [1, 0, 0]}\n"
                      "loads:\n"
                      "  hold: {node: cart, force: [1, 0, 0], signal: y}\n"
                      "  pull: {node: cart, force: [1, 0, 0], signal: f}\n"
                      "blocks:\n" +
                      more + "  y: {type: clutch, rate: v, " + clutch + "}\n",
                  "x, v, y", time);
}

TEST(Clutch, HoldsALoadWithoutCreep) {
  const ModelRun run = runClutch("capacity: 3, stiffness: 400, damping: 40",
                                 "  f: {type: constant, value: 2}\n", "end: 60, step: 0.01");
  EXPECT_EQ(run.report.events, 0);
  // x tends to F/k; that state and position are integrated by different schemes costs O(h²).
  EXPECT_NEAR(run.at(10.0, "x"), 2.0 / 400.0, 1e-5);
  EXPECT_NEAR(run.at(10.0, "x"), run.last("x"), 1e-14);
  EXPECT_NEAR(run.last("v"), 0.0, 1e-14);
  EXPECT_NEAR(run.last("y"), -2.0, 1e-12);
}

TEST(Clutch, DoesNotWalkUnderAnAlternatingLoad) {
  const ModelRun run =
      runClutch("capacity: 3, stiffness: 400, damping: 40",
                "  f: {type: sine, amplitude: 2, frequency: 1}\n", "end: 60, step: 0.01");
  EXPECT_NEAR(run.at(10.0, "x"), run.at(60.0, "x"), 1e-12);
}

// v = 1.5 − 1.5 t while it slips; it sticks at t = 1, up to exp(−50 t), with the spring at 3/400, and
// swings by m x'' + c x' + k x = 0 from there.
TEST(Clutch, BrakesAndSticks) {
  for (const char* events : {"", ", events: false"}) {
    const ModelRun run =
        runClutch(std::string("capacity: 3, stiffness: 400, damping: 8") + events,
                  "  f: {type: constant, value: 0}\n", "end: 4, step: 0.0013", 1.5);
    for (const double t : {0.13, 0.52, 0.91}) {
      EXPECT_NEAR(run.at(t, "x"), 1.5 * t - 0.75 * t * t, 1e-9) << t;
      EXPECT_EQ(run.at(t, "y"), -3.0);
    }
    const double d = 2.0, w = std::sqrt(200.0 - d * d), x0 = 3.0 / 400.0;
    for (const double t : {1.04, 1.17, 1.3}) {
      const double s = t - 1.0;
      const double x = x0 * std::exp(-d * s) * (std::cos(w * s) + d / w * std::sin(w * s));
      EXPECT_NEAR(run.at(t, "x"), 0.75 + x - x0, 1e-5) << t << events;
    }
    EXPECT_NEAR(run.last("x"), 0.75 - x0, 2e-5);
    if (*events != '\0') continue;
    ASSERT_EQ(run.interruptions().size(), 1u);
    EXPECT_NEAR(run.interruptions()[0], 1.0, 1e-8);
  }
}

TEST(Clutch, SlipsUnderALoadBeyondItsCapacity) {
  // From the moment of slip on, the acceleration is (5 − 3)/2.
  const ModelRun run = runClutch("capacity: 3, stiffness: 400, damping: 40",
                                 "  f: {type: constant, value: 5}\n", "end: 2, step: 0.01");
  EXPECT_NEAR(run.at(2.0, "v") - run.at(1.0, "v"), 1.0, 1e-10);
  EXPECT_EQ(run.last("y"), -3.0);
}

TEST(Clutch, IsOpenWithoutCapacity) {
  const ModelRun run = runClutch("capacity: -1, stiffness: 400, damping: 40",
                                 "  f: {type: constant, value: 5}\n", "end: 1, step: 0.01");
  EXPECT_NEAR(run.last("v"), 2.5, 1e-12);
}

TEST(Discontinuities, WhatCannotBeRightIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"type: saturation, input: t", "blocks.y: at least one of 'lower' and 'upper' is needed"},
      {"type: saturation, input: t, lower: 1, upper: 1", "'lower' is not below 'upper'"},
      {"type: dead_zone, input: t", "either 'width', or 'lower' and 'upper'"},
      {"type: dead_zone, input: t, width: 1, lower: -1, upper: 1", "either 'width', or"},
      {"type: dead_zone, input: t, lower: -1", "must be given together"},
      {"type: dead_zone, input: t, lower: 1, upper: -1", "'lower' is above 'upper'"},
      {"type: dead_zone, input: t, width: -1", "width"},
      {"type: relay, input: t", "on_above"},
      {"type: relay, input: t, on_above: 0, off_below: 1", "'off_below' is above 'on_above'"},
      {"type: switch, control: t, above: 1", "below"},
      {"type: switch, control: t, above: 1, below: 0, hysteresis: -1", "hysteresis"},
      {"type: comparison, input: t, to: 1, relation: equal", "'tolerance' is needed"},
      {"type: comparison, input: t, to: 1, relation: less, tolerance: 1",
       "'tolerance' does not apply to 'relation: less'"},
      {"type: logic, inputs: [t, t], operation: not", "'not' has one input, not 2"},
      {"type: logic, inputs: t, operation: and", "'and' needs two inputs or more"},
      {"type: quantizer, input: t, step: 0", "step"},
      {"type: quantizer, input: t, step: 1, rounding: sideways", "nearest"},
      {"type: backlash, input: t, width: 0", "width"},
      {"type: clutch, rate: t, capacity: 1, stiffness: 1, damping: 0", "damping"}};
  for (const auto& [block, message] : cases) {
    const std::string mistakes = mistakesOf(diagram("  y: {" + block + "}\n"));
    EXPECT_TRUE(says(mistakes, message)) << block;
    EXPECT_TRUE(says(mistakes, "m.yaml:4:")) << block;
  }
}

}  // namespace
}  // namespace flexloop::test
