// What a run reports of its own accuracy: against closed forms where there are any, and for steps that are far too long.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::RunHealth;

RunHealth healthOf(const std::string& model, const std::string& time) {
  return tryModel(model, "", time).report.health;
}

// x″ = −100 x, of a cart of 2 kg.
std::string oscillatorWith(const std::string& more) {
  return "nodes: {cart: {position: [1, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
         "bodies: {cart: {node: cart, mass: 2}}\n"
         "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: "
         "200" +
         more + "}}\n";
}

constexpr const char* kTwoPendulums =
    "gravity: [0, 0, -9.81]\n"
    "nodes: {a: [0.5, 0, 0], b: [1.5, 0, 0]}\n"
    "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}, b: {node: b, mass: 1, inertia: "
    "[0.1, 0.1, 0.1]}}\n"
    "joints:\n"
    "  p: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  q: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n";

// The trapezoidal rule has the period T (1 + (ωh)²/12).
TEST(RunHealth, ResolutionIsTheErrorOfThePeriod) {
  for (const double h : {1e-3, 2e-3, 1e-2}) {
    const RunHealth health =
        healthOf(oscillatorWith(""), "end: 10, rho: 1, step: " + std::to_string(h));
    ASSERT_TRUE(health.resolution);
    const double share = std::pow(10.0 * h, 2) / 12.0;
    EXPECT_NEAR(*health.resolution, share, 0.1 * share) << h;
    EXPECT_NEAR(health.resolvedStep, h, 1e-9);
    EXPECT_TRUE(health.isTrusted()) << health.verdict();
  }
}

TEST(RunHealth, StepsThatAreFarTooLongAreNotTrusted) {
  for (const char* damping : {"", ", damping: 1"}) {
    const RunHealth health = healthOf(oscillatorWith(damping), "end: 20, step: 0.5");
    EXPECT_TRUE(says(health.verdict(), "do not trust this run: "));
    EXPECT_TRUE(says(health.verdict(), "steps of 0.5 s resolve the motion to about"));
  }
  EXPECT_FALSE(healthOf(kTwoPendulums, "end: 20, step: 0.3").isTrusted());
  EXPECT_TRUE(healthOf(kTwoPendulums, "end: 5, step: 2 ms").isTrusted());
}

TEST(RunHealth, AStepThatIsAdvisedIsTrusted) {
  EXPECT_TRUE(says(healthOf(oscillatorWith(""), "end: 4, step: 0.17").verdict(), "a step of 0.02"));
  EXPECT_TRUE(healthOf(oscillatorWith(""), "end: 4, step: 0.02").isTrusted());
}

// A machine that is 10¹² times smaller and 1000 times faster.
TEST(RunHealth, DoesNotDependOnUnits) {
  const RunHealth health = healthOf(oscillatorWith(""), "end: 3, step: 5 ms");
  const RunHealth scaled = healthOf(
      "nodes: {cart: {position: [1e-12, 0, 0], free: [x], velocity: [1e-9, 0, 0]}}\n"
      "bodies: {cart: {node: cart, mass: 2e-6}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: "
      "200}}\n",
      "end: 3 ms, step: 5 us");
  ASSERT_TRUE(health.resolution && scaled.resolution && health.energyError && scaled.energyError);
  EXPECT_NEAR(*scaled.resolution, *health.resolution, 1e-6 * *health.resolution);
  EXPECT_NEAR(*scaled.energyError, *health.energyError, 1e-6);
}

// Dampers take what they take: that is no error of the scheme.
TEST(RunHealth, EnergyIsBalancedWithDampersLoadsAndActuators) {
  const std::string machine =
      oscillatorWith(", damping: 4") +
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {u: {type: sine, amplitude: 3, frequency: 1 Hz}}\n"
      "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n";
  const RunHealth fine = healthOf(machine, "end: 5, step: 1 ms");
  ASSERT_TRUE(fine.energyError);
  EXPECT_LT(std::abs(*fine.energyError), 1e-3);
  EXPECT_TRUE(fine.isTrusted()) << fine.verdict();
  // What a scheme with much numerical damping takes is one.
  const RunHealth coarse =
      healthOf(oscillatorWith(", damping: 1e-3"), "end: 20, step: 0.1, rho: 0.3");
  ASSERT_TRUE(coarse.energyError);
  EXPECT_LT(*coarse.energyError, -0.01);
}

TEST(RunHealth, EnergyOfTurningBodiesOnDrivenJointsIsBalanced) {
  const RunHealth health = healthOf(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0.5, 0, 0], b: [1, 0.3, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.2, 0.3]}, b: {node: b, mass: 2, inertia: "
      "[0.1, 0.2, 0.15]}}\n"
      "joints:\n"
      "  p: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], drive: turn}\n"
      "  q: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], damping: 0.1}\n"
      "blocks: {turn: {type: expression, value: '= 1 - cos(3*t)'}}\n",
      "end: 3, step: 1 ms");
  ASSERT_TRUE(health.energyError);
  EXPECT_LT(std::abs(*health.energyError), 2e-3);
  EXPECT_LT(health.drift, 1e-10);
  EXPECT_TRUE(health.isTrusted()) << health.verdict();
}

TEST(RunHealth, WhatRestsIsTrusted) {
  const std::string rest =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0, 0, -1]}\n"
      "bodies: {bob: {node: a, mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
      "joints: {pivot: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n";
  const RunHealth health = healthOf(rest, "end: 10, step: 0.5");
  EXPECT_TRUE(health.isTrusted()) << health.verdict();
  EXPECT_FALSE(health.resolution);
}

// What is excited and soon gone, far below what steps resolve, does not spoil the slow motion that is left.
TEST(RunHealth, StiffPartsThatSoonRestAreTrusted) {
  const RunHealth health = healthOf(
      "gravity: [0, 0, -9.81]\n"
      "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
      "sections: {bar: {type: rectangle, width: 20 mm, height: 20 mm}}\n"
      "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
      "beams: {arm: {from: a, to: b, elements: 4, section: bar, material: steel, y_axis: [0, 1, "
      "0]}}\n"
      "joints: {pivot: {type: hinge, between: [ground, a], axis: [0, 1, 0]}}\n",
      "end: 2, step: 5 ms");
  EXPECT_TRUE(health.isTrusted()) << health.verdict();
}

}  // namespace
}  // namespace flexloop::test
