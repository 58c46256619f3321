// What a run reports of its own accuracy: against closed forms where there are any, and for steps that are far too long.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

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
    EXPECT_TRUE(says(health.verdict(), "steps of 0.5 s resolve the motion only to about"));
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

struct Scale {
  double mass, length;
};
constexpr Scale kScales[] = {{1, 1}, {1e12, 1}, {1e-12, 1}, {1, 1e12}, {1, 1e-12}};
constexpr Scale kNeighbours[] = {{1, 1}, {1e12, 1}, {1e-12, 1}, {1, 1e6}, {1, 1e-6}};

// A cart on a spring, with `k` and `c` by its mass.
struct Cart {
  std::string name;
  Scale scale;
  double position, velocity, k, c;
};

std::string text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::string machineOf(const std::vector<Cart>& carts) {
  std::string nodes, bodies, springs;
  for (const auto& [name, scale, x, v, k, c] : carts) {
    nodes += name + ": {free: [x], position: [" + text(x * scale.length) + ", 0, 0], velocity: [" +
             text(v * scale.length) + ", 0, 0]}, ";
    bodies += name + ": {node: " + name + ", mass: " + text(scale.mass) + "}, ";
    springs += name + ": {type: linear, between: [ground, " + name +
               "], direction: [1, 0, 0], stiffness: " + text(k * scale.mass) +
               ", damping: " + text(c * scale.mass) + "}, ";
  }
  return "nodes: {" + nodes + "}\nbodies: {" + bodies + "}\nsprings: {" + springs +
         "}\nsensors: {v: {measure: velocity, node: p, direction: [1, 0, 0]}}\n";
}

// Has nothing to do with the rest.
Cart neighbour(const Scale& scale) {
  return {"z", scale, 30, 1, 10, 0.1};
}

// At rest; gets 1 m/s within 10 µs, a hundredth of a step.
std::string hammered(const Scale& scale, const std::vector<Cart>& others = {}) {
  std::vector<Cart> carts{{"p", scale, 0.5, 0, 3, 0.1}};
  carts.insert(carts.end(), others.begin(), others.end());
  return machineOf(carts) +
         "blocks: {w: {type: pulse, period: 10, start: 20.3 ms, width: 10 us}}\n"
         "loads: {f: {node: p, force: [" +
         text(1e5 * scale.mass * scale.length) + ", 0, 0], signal: w}}\n";
}

// At 1 m/s; is stopped within 10 ns and then released.
std::string braked(const Scale& scale, const std::vector<Cart>& others = {}) {
  std::vector<Cart> carts{{"p", scale, 0.5, 1, 1e-9, 0}};
  carts.insert(carts.end(), others.begin(), others.end());
  return machineOf(carts) +
         "blocks: {s: {type: pulse, period: 10, start: 20.3 ms, width: 2.1 ms}, u: {type: product, "
         "inputs: [s, -v]}}\n"
         "actuators: {m: {type: force, node: p, direction: [1, 0, 0], input: u, gain: " +
         text(1e8 * scale.mass) + "}}\n";
}

// The work of a blow is done in one step, and the velocity follows over the next ones.
TEST(RunHealth, ABlowIsTrustedAtEveryScale) {
  for (const Scale& scale : kScales) {
    const ModelRun run = tryModel(hammered(scale), "v", "end: 0.2, step: 1 ms");
    const RunHealth& health = run.report.health;
    EXPECT_TRUE(health.isTrusted()) << scale.mass << " " << scale.length << health.verdict();
    ASSERT_TRUE(health.energyError);
    EXPECT_LT(std::abs(*health.energyError), 1e-2);
    // x″ = −3 x − 0.1 x′ from 1 m/s, which it may have two steps later: less than 0.7 m/s² for 2 ms.
    const double t = 0.2 - 0.0203, w = std::sqrt(3 - 0.0025);
    const double exact = std::exp(-0.05 * t) * (std::cos(w * t) - 0.05 / w * std::sin(w * t));
    EXPECT_NEAR(run.last("v") / scale.length, exact, 1.4e-3);
  }
}

TEST(RunHealth, ABrakeThatStopsInAStepIsTrustedAtEveryScale) {
  for (const Scale& scale : kScales) {
    const ModelRun run = tryModel(braked(scale), "v", "end: 0.08, step: 1 ms");
    EXPECT_TRUE(run.report.health.isTrusted())
        << scale.mass << " " << scale.length << run.report.health.verdict();
    EXPECT_NEAR(run.last("v") / scale.length, 0.0, 1e-4);
  }
}

TEST(RunHealth, BlowsBesideAnotherMachineAreTrusted) {
  for (const Scale& scale : kNeighbours) {
    const std::vector<Cart> other{neighbour(scale)};
    const RunHealth blow = healthOf(hammered({1, 1}, other), "end: 0.2, step: 1 ms");
    EXPECT_TRUE(blow.isTrusted()) << scale.mass << " " << scale.length << blow.verdict();
    const RunHealth brake = healthOf(braked({1, 1}, other), "end: 0.08, step: 1 ms");
    EXPECT_TRUE(brake.isTrusted()) << scale.mass << " " << scale.length << brake.verdict();
  }
}

// What is wrong is found at every scale, and beside another machine that is right.
TEST(RunHealth, LongStepsAreFoundAtEveryScaleAndBesideAnotherMachine) {
  const std::string time = "end: 6, step: 0.15, rho: 0.3";
  for (const Scale& scale : kScales) {
    const RunHealth health = healthOf(machineOf({{"p", scale, 1, 1, 100, 0.025}}), time);
    EXPECT_TRUE(says(health.verdict(), "steps of 0.15 s resolve the motion only to about 26 %"));
    EXPECT_TRUE(says(health.verdict(), "energy is not balanced"));
  }
  for (const Scale& scale : kNeighbours) {
    const RunHealth health =
        healthOf(machineOf({{"p", {1, 1}, 1, 1, 100, 0.025}, neighbour(scale)}), time);
    EXPECT_TRUE(says(health.verdict(), "steps of 0.15 s resolve the motion only to about 26 %"));
  }
}

// With ρ = 1 nothing ends the vibration of a spring that is far too stiff for the steps.
TEST(RunHealth, RingingThatStaysIsFound) {
  const std::string machine =
      machineOf({{"p", {1, 1}, 1, 1, 1e10, 0}}) + "loads: {f: {node: p, force: [1, 0, 0]}}\n";
  EXPECT_TRUE(says(healthOf(machine, "end: 1, step: 1 ms, rho: 1").verdict(), "ring"));
}

TEST(RunHealth, SharesAreWrittenWithoutExponent) {
  EXPECT_EQ(analysis::formatShare(1.0), "100 %");
  EXPECT_EQ(analysis::formatShare(0.9951), "100 %");
  EXPECT_EQ(analysis::formatShare(0.994), "99 %");
  EXPECT_EQ(analysis::formatShare(12.345), "1234 %");
  EXPECT_EQ(analysis::formatShare(0.0314), "3.1 %");
  EXPECT_EQ(analysis::formatShare(-0.0314), "-3.1 %");
  EXPECT_EQ(analysis::formatShare(2e-9), "2e-07 %");
}

}  // namespace
}  // namespace flexloop::test
