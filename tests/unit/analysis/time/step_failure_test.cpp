// Steps that have no solution: the run names the equation, who is at work and the likely reason, and records the last state.
#include "analysis/time/step_failure.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string cartWith(const std::string& more) {
  return "nodes: {a: {position: [0, 0, 0], velocity: [-1, 0, 0]}}\n"
         "bodies: {cart: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {rail: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
         "sensors: {x: {measure: displacement, joint: rail}, v: {measure: velocity, node: a, "
         "direction: [1, 0, 0]}, acc: {measure: acceleration, node: a, direction: [1, 0, 0]}}\n"
         "actuators: {motor: {type: force, joint: rail, input: f}}\n" +
         more;
}

TEST(StepFailure, OfADomainNamesWhatTheBlockWasGiven) {
  const ModelRun run = tryModel(
      cartWith("blocks: {f: {type: expression, value: '= 0.001*sqrt(1 + x)', inputs: {x: x}}}\n"),
      "x", "end: 2, step: 1 ms");
  ASSERT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "'f' has no value with 'sensor x' = -1"));
  EXPECT_TRUE(says(run.report.failure->hint, "saturation"));
}

TEST(StepFailure, OfAFunctionThatSwitchesByWhatItCausesSaysSo) {
  const ModelRun run = tryModel(
      cartWith("blocks: {f: {type: expression, value: '= x < -0.1 ? (a > 0 ? -5 : 5) : 0', "
               "inputs: {x: x, a: acc}}}\n"),
      "x", "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "'f'"));
  EXPECT_TRUE(says(messageOf(run.report.failure), "jumps back and forth"));
  EXPECT_TRUE(says(run.report.failure->hint, "hysteresis"));
}

// Friction as a formula with a jump: −1 m/s with 5 N and 1 kg stops at 0.2 s, and from there on no force between −5 N and 5 N is to
// be had.
TEST(StepFailure, OfFrictionInAFormulaSaysWhereItChatters) {
  const ModelRun run = tryModel(
      cartWith("blocks: {f: {type: expression, value: '= v > 0 ? -5 : 5', inputs: {v: v}}}\n"), "v",
      "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok());
  EXPECT_NEAR(run.report.time, 0.2, 1e-3);
  EXPECT_TRUE(says(messageOf(run.report.failure), "'f'"));
  EXPECT_TRUE(says(messageOf(run.report.failure), "jumps back and forth"));
  EXPECT_TRUE(says(messageOf(run.report.failure), "'motor'"));
  EXPECT_TRUE(says(run.report.failure->hint, "relay"));
  EXPECT_NEAR(run.last("v"), 0.0, 5e-3);
}

// The same with a relay is located, up to the instant from which on it never stops switching; then the run says so and continues.
TEST(StepFailure, ARelayThatChattersIsNamedAndTheRunContinues) {
  const ModelRun run = tryModel(
      cartWith("blocks: {r: {type: relay, input: v, on_above: 0, off_below: 0, on_value: -5, "
               "off_value: 5}, f: {type: gain, input: r, gain: 1}}\n"),
      "v", "end: 0.4, step: 1 ms");
  ASSERT_TRUE(run.report.ok()) << messageOf(run.report.failure);
  EXPECT_GT(run.report.chatteringSteps, 0);
  EXPECT_NEAR(run.report.firstChatter, 0.2, 1e-3);
  ASSERT_FALSE(run.report.notes.empty());
  EXPECT_TRUE(says(run.report.notes.front(), "the block 'r' switches too often"));
  EXPECT_TRUE(says(run.report.notes.front(), "hysteresis"));
  // It stays within what one step with 5 N makes of its rest.
  EXPECT_NEAR(run.last("v"), 0.0, 5e-3);
}

// Two drives of one motion that agree up to 0.5 s. A smaller step would not help, and none is advised.
TEST(StepFailure, OfDrivesThatContradictEachOtherSaysWhatToDo) {
  const ModelRun run = tryModel(
      "nodes: {a: [0, 0, 0]}\n"
      "bodies: {cart: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  one: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: u}\n"
      "  two: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: w}\n"
      "blocks: {u: {type: expression, value: '= t^3'}, w: {type: expression, value: "
      "'= t < 0.5 ? t^3 : t^3 + (t - 0.5)^3'}}\n"
      "sensors: {x: {measure: displacement, joint: one}}\n",
      "x", "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok());
  // (t − 0.5)³ is 10⁻⁶ of its way, which a machine may leave open, at 0.51 s.
  EXPECT_NEAR(run.report.time, 0.51, 5e-3);
  EXPECT_TRUE(says(messageOf(run.report.failure), "the joints are in conflict; 'one: driven"));
  EXPECT_TRUE(says(run.report.failure->hint, "remove one of them, or drive them consistently"));
}

// A crank whose rod of half its length would have to become longer at 30 degrees.
TEST(StepFailure, OutOfReachNamesTheJoint) {
  const ModelRun run = tryModel(
      "nodes: {crank: [0.1, 0, 0], rod: [0.25, 0, 0], slider: [0.3, 0, 0]}\n"
      "bodies:\n"
      "  crank: {node: crank, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  rod: {node: rod, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "  slider: {node: slider, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  main: {type: hinge, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], drive: "
      "turn}\n"
      "  pin: {type: hinge, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
      "  wrist: {type: hinge, between: [rod, slider], at: [0.3, 0, 0], axis: [0, 0, 1]}\n"
      "  rail: {type: slider, between: [ground, slider], axis: [1, 0, 0]}\n"
      "blocks: {turn: {type: ramp, slope: 1}}\n"
      "sensors: {phi: {measure: angle, joint: main}}\n",
      "phi", "end: 2, step: 1 ms, record: {every: 100}");
  ASSERT_FALSE(run.report.ok());
  EXPECT_NEAR(run.report.time, 0.5236, 1e-3);
  EXPECT_TRUE(says(messageOf(run.report.failure),
                   "the joint cannot be closed, and its equation is nearly singular (by "));
  EXPECT_TRUE(says(messageOf(run.report.failure), "it may be at a dead point, out of reach"));
  EXPECT_TRUE(says(run.report.failure->hint, "flexloop view"));
  // The last state is there although its step was not to be recorded.
  EXPECT_EQ(run.times().back(), run.report.time);
  EXPECT_NEAR(run.last("phi"), 0.5236, 1e-3);
}

// What the equations are like tells jumps from stiff forces, and both from equations without a unique solution.
TEST(StepFailure, OfAMotionHasThreeReasons) {
  const model::Model model = buildModel(
      "nodes: {a: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {b: {node: a, mass: 1}}\n");
  solve::StepReport step;
  step.failure = base::numericalFailure("the iteration does not converge at 'a'");
  step.worst = 0;
  const auto explain = [&](double stiffness, double answer) {
    return analysis::explainFailure(model.system(), step, 1e-6, {true, stiffness, answer}).message;
  };
  EXPECT_TRUE(says(explain(1.0, 1.0),
                   "even steps of 1e-06 s do not converge (acting there: 'b'): forces jump with "
                   "the motion"));
  EXPECT_TRUE(says(explain(3e5, 3e-6), "forces are far too stiff for the step, 3e+05 times as"));
  EXPECT_TRUE(says(explain(1.0, 2e6), "its equation is nearly singular (by 5e-07), since forces"));
}

TEST(StepFailure, OfAMasslessNodeNamesItsFreedom) {
  const ModelRun run = tryModel(
      "nodes: {a: {position: [1, 0, 0], free: [x]}, b: {position: [2, 0, 0], free: [x]}}\n"
      "bodies: {b: {node: b, mass: 1}}\n"
      "springs: {s: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 100}}\n"
      "loads: {f: {node: b, force: [1, 0, 0]}}\n",
      "", "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "nothing determines the motion of a x"));
  EXPECT_TRUE(says(run.report.failure->hint, "mass"));
}

}  // namespace
}  // namespace flexloop::test
