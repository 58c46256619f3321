// Equilibria of machines that only rigid stops hold (docs/theory/33_impacts.md, section 4).
#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;
using analysis::findEquilibrium;

const std::string kOutput = "outputs: [z]\n";

std::string ball(double start, const std::string& more = {}, double mass = 0.5) {
  return R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 0], free: [z]}}
bodies: {m: {node: ball, mass: )" +
         std::to_string(mass) + R"(}}
joints: {fall: {type: slider, between: [ground, ball], axis: [0, 0, 1], start: )" +
         std::to_string(start) + R"(}}
contacts: {floor: {type: limit, joint: fall, lower: 0, upper: 3, restitution: 0.5}}
sensors:
  z: {measure: position, node: ball, direction: [0, 0, 1]}
)" + more;
}

void expectFloor(const model::Model& model, double tolerance = 1e-12) {
  const EquilibriumResult rest = findEquilibrium(model);
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], 0.0, tolerance);
  ASSERT_EQ(rest.notes.size(), 1u);
  EXPECT_TRUE(says(rest.notes[0], "the limit floor (lower) holds the machine"));
}

TEST(RestOnStop, OfABallAboveItAndOnIt) {
  for (const double start : {0.0, 1e-6, 1.0, 3.0}) expectFloor(buildModel(ball(start, kOutput)));
}

TEST(RestOnStop, IsThatOfAnySize) {
  for (const double mass : {0.000002, 5e11}) expectFloor(buildModel(ball(1.0, kOutput, mass)));
}

TEST(RestOnStop, IsOnTheOtherOneUnderALoadUpwards) {
  const EquilibriumResult rest = findEquilibrium(
      buildModel(ball(1.0, "loads: {lift: {node: ball, force: [0, 0, 6]}}\n" + kOutput)));
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], 3.0, 1e-12);
  EXPECT_TRUE(says(rest.notes[0], "the limit floor (upper) holds the machine"));
}

// A run from there stays there, and the stop carries the weight.
TEST(RestOnStop, IsWhereARunStays) {
  const ModelRun run = runModel(ball(1.0), "z", "end: 0.1, step: 1 ms, start: equilibrium");
  EXPECT_EQ(run.report.events, 0);
  EXPECT_NEAR(run.last("z"), 0.0, 1e-12);
  EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
}

// Two masses, each on a stop of its own, and a third that hangs on a spring: 2 kg · 9.81 / 400.
TEST(RestOnStop, OfSeveralBesideEachOther) {
  const EquilibriumResult rest = findEquilibrium(buildModel(R"(
gravity: [0, 0, -9.81]
nodes:
  a: {position: [0, 0, 0], free: [z]}
  b: {position: [1, 0, 0], free: [z]}
  c: {position: [2, 0, 0], free: [z]}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 3}, c: {node: c, mass: 2}}
joints:
  a: {type: slider, between: [ground, a], axis: [0, 0, 1]}
  b: {type: slider, between: [ground, b], axis: [0, 0, 1]}
  c: {type: slider, between: [ground, c], axis: [0, 0, 1], stiffness: 400}
contacts:
  a: {type: limit, joint: a, lower: -0.5, upper: 0.1, restitution: 0}
  b: {type: limit, joint: b, lower: -0.2, upper: 0, restitution: 1}
  c: {type: limit, joint: c, lower: -0.2, upper: 0.2, restitution: 1}
sensors:
  za: {measure: position, node: a, direction: [0, 0, 1]}
  zb: {measure: position, node: b, direction: [0, 0, 1]}
  zc: {measure: position, node: c, direction: [0, 0, 1]}
outputs: [za, zb, zc]
)"));
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], -0.5, 1e-12);
  EXPECT_NEAR(rest.outputs[1], -0.2, 1e-12);
  EXPECT_NEAR(rest.outputs[2], -2.0 * 9.81 / 400.0, 1e-12);
  EXPECT_EQ(rest.notes.size(), 2u);
}

// Two masses on one line, the upper one on a spring to the lower one: 1 m − 9.81/100.
TEST(RestOnStop, CarriesWhatStandsOnIt) {
  const EquilibriumResult rest = findEquilibrium(buildModel(R"(
gravity: [0, 0, -9.81]
nodes: {low: {position: [0, 0, 0.3], free: [z]}, high: {position: [0, 0, 1.3], free: [z]}}
bodies: {low: {node: low, mass: 2}, high: {node: high, mass: 1}}
joints:
  fall: {type: slider, between: [ground, low], axis: [0, 0, 1]}
  rise: {type: slider, between: [low, high], axis: [0, 0, 1], stiffness: 100}
contacts: {floor: {type: limit, joint: fall, lower: -0.3, restitution: 0.2}}
sensors:
  low: {measure: position, node: low, direction: [0, 0, 1]}
  high: {measure: position, node: high, direction: [0, 0, 1]}
outputs: [low, high]
)"));
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], 0.0, 1e-11);
  EXPECT_NEAR(rest.outputs[1], 1.0 - 9.81 / 100.0, 1e-11);
}

// Loads for which a spring alone leads just to the stop, on this side of round-off or on the other.
TEST(RestOnStop, IsFoundWhereTheStopIsHardlyTouched) {
  for (int i = 1; i <= 60; ++i) {
    const double force = 0.37 * i, bound = force / 123.4;
    const auto text = [](double x) {
      std::ostringstream out;
      out << std::setprecision(17) << x;
      return out.str();
    };
    const EquilibriumResult rest = findEquilibrium(buildModel(R"(
nodes: {m: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: m, mass: 1}}
joints: {s: {type: slider, between: [ground, m], axis: [1, 0, 0], stiffness: 123.4}}
contacts: {end: {type: limit, joint: s, upper: )" + text(bound) +
                                                              R"(, restitution: 0.5}}
loads: {push: {node: m, force: [)" + text(force) + R"(, 0, 0]}}
sensors: {x: {measure: position, node: m, direction: [1, 0, 0]}}
outputs: [x]
)"));
    ASSERT_TRUE(rest.report.ok()) << i << ": " << messageOf(rest.report.failure);
    EXPECT_NEAR(rest.outputs[0], bound, 1e-10 * bound);
  }
}

// A disc with the torque of a motor turns to its stop.
TEST(RestOnStop, OfADiscUnderATorque) {
  const EquilibriumResult rest = findEquilibrium(buildModel(R"(
nodes: {disc: {position: [0, 0, 0]}}
bodies: {disc: {node: disc, mass: 1, inertia: [1, 1, 1]}}
joints: {h: {type: hinge, between: [ground, disc], axis: [0, 0, 1]}}
loads: {turn: {node: disc, torque: [0, 0, 0.1]}}
contacts: {stop: {type: limit, joint: h, lower: -10 deg, upper: 100 deg, restitution: 0.5}}
sensors: {angle: {measure: angle, joint: h}}
outputs: [angle]
)"));
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], 100.0 * std::numbers::pi / 180.0, 1e-11);
}

// Friction carries what sliding does, 1 N of 4.905 N, and the stop the rest.
TEST(RestOnStop, IsReachedAgainstFriction) {
  const EquilibriumResult rest = findEquilibrium(buildModel(R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 1], free: [z]}}
bodies: {m: {node: ball, mass: 0.5}}
joints: {fall: {type: slider, between: [ground, ball], axis: [0, 0, 1], friction: {force: 1}}}
contacts: {floor: {type: limit, joint: fall, lower: -1, restitution: 0.5}}
sensors:
  z: {measure: position, node: ball, direction: [0, 0, 1]}
  f: {measure: friction, joint: fall}
outputs: [z, f]
)"));
  ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
  EXPECT_NEAR(rest.outputs[0], 0.0, 1e-12);
  EXPECT_NEAR(std::abs(rest.outputs[1]), 1.0, 1e-9);
}

TEST(RestOnStop, DoesNotExistWhereTheStopIsOnTheOtherSide) {
  const EquilibriumResult rest = findEquilibrium(buildModel(R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 0], free: [z]}}
bodies: {m: {node: ball, mass: 1}}
joints: {fall: {type: slider, between: [ground, ball], axis: [0, 0, 1]}}
contacts: {ceiling: {type: limit, joint: fall, upper: 0, restitution: 0.5}}
)"));
  ASSERT_FALSE(rest.report.ok());
  EXPECT_TRUE(says(messageOf(rest.report.failure), "nothing holds the motion of ball z"));
}

}  // namespace
}  // namespace flexloop::test
