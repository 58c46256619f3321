// Steps that have no solution: the run names the equation, who is at work and the likely reason, and records the last state.
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
         "sensors: {x: {measure: displacement, joint: rail}, acc: {measure: acceleration, node: a, "
         "direction: [1, 0, 0]}}\n"
         "actuators: {motor: {type: force, joint: rail, input: f}}\n" +
         more;
}

TEST(StepFailure, OfADomainNamesWhatTheBlockWasGiven) {
  const ModelRun run = tryModel(
      cartWith("blocks: {f: {type: expression, value: '= 0.001*sqrt(1 + x)', inputs: {x: x}}}\n"),
      "x", "end: 2, step: 1 ms");
  ASSERT_FALSE(run.report.ok);
  EXPECT_TRUE(says(run.report.trouble, "'f' gives no number with 'sensor x' = -1"));
  EXPECT_TRUE(says(run.report.hint, "saturation"));
}

TEST(StepFailure, OfAFunctionThatSwitchesByWhatItCausesSaysSo) {
  const ModelRun run = tryModel(
      cartWith("blocks: {f: {type: expression, value: '= x < -0.1 ? (a > 0 ? -5 : 5) : 0', "
               "inputs: {x: x, a: acc}}}\n"),
      "x", "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok);
  EXPECT_TRUE(says(run.report.trouble, "'f'"));
  EXPECT_TRUE(says(run.report.trouble, "jumps back and forth"));
  EXPECT_TRUE(says(run.report.hint, "hysteresis"));
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
  ASSERT_FALSE(run.report.ok);
  EXPECT_NEAR(run.report.time, 0.5236, 1e-3);
  EXPECT_TRUE(says(run.report.trouble, "the joint cannot be closed"));
  EXPECT_TRUE(says(run.report.hint, "flexloop view"));
  // The last state is there although its step was not to be recorded.
  EXPECT_EQ(run.times().back(), run.report.time);
  EXPECT_NEAR(run.last("phi"), 0.5236, 1e-3);
}

TEST(StepFailure, OfAMasslessNodeNamesItsFreedom) {
  const ModelRun run = tryModel(
      "nodes: {a: {position: [1, 0, 0], free: [x]}, b: {position: [2, 0, 0], free: [x]}}\n"
      "bodies: {b: {node: b, mass: 1}}\n"
      "springs: {s: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 100}}\n"
      "loads: {f: {node: b, force: [1, 0, 0]}}\n",
      "", "end: 1, step: 1 ms");
  ASSERT_FALSE(run.report.ok);
  EXPECT_TRUE(says(run.report.trouble, "nothing determines the motion of a x"));
  EXPECT_TRUE(says(run.report.hint, "mass"));
}

}  // namespace
}  // namespace flexloop::test
