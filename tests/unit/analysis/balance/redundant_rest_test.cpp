// Rest of machines whose joints depend on each other (docs/theory/10_equilibrium.md, section 10.6): a door on two hinges rests as
// one on a single hinge does, whatever its loads are beside its weight.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/steady_motion.hpp"
#include "support/equilibrium_search.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::EquilibriumResult;

struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;

  double force() const { return mass * length / (time * time); }
  std::string name() const {
    return "mass " + writeNumber(mass) + ", length " + writeNumber(length) + ", time " +
           writeNumber(time);
  }
};

const std::vector<Units>& allUnits() {
  static const std::vector<Units> units{
      {1.0, 1.0, 1.0},       {1.0, 1.0, 1e-3},    {1.0, 1.0, 1e-6},  {1.0, 1.0, 1e6},
      {1e-11, 1e-4, 1e-4},   {1e-11, 1e-4, 1e-6}, {1.0, 1e9, 1.0},   {1e12, 1e-12, 1.0},
      {1e-12, 1e-12, 1e-12}, {1.0, 1e12, 1.0},    {1e12, 1e12, 1e12}};
  return units;
}

// A body on two hinges, one beside the other on the y axis, with a spring about it.
std::string door(const Units& units, double gravity, double torque) {
  const auto n = [](double value) { return writeNumber(value); };
  const double f = units.force(), moment = f * units.length;
  const std::string J = n(0.1 * units.mass * units.length * units.length);
  return "gravity: [0, 0, " + n(-gravity * units.length / (units.time * units.time)) +
         "]\nnodes: {a: [0, 0, 0]}\nbodies: {a: {node: a, mass: " + n(units.mass) + ", inertia: [" +
         J + ", " + J + ", " + J +
         "]}}\njoints:\n  h1: {type: hinge, between: [ground, a], at: [0, " + n(units.length) +
         ", 0], axis: [0, 1, 0], stiffness: " + n(moment) +
         "}\n  h2: {type: hinge, between: [ground, a], at: [0, " + n(-units.length) +
         ", 0], axis: [0, 1, 0]}\nloads: {f: {node: a, force: [" + n(f) + ", " + n(2.0 * f) + ", " +
         n(3.0 * f) + "], torque: [0, " + n(torque * moment) +
         ", 0]}}\nsensors:\n  x: {measure: displacement, node: a}\n  q: {measure: angle, joint: "
         "h1}\n  r1: {measure: force, joint: h1}\n  r2: {measure: force, joint: h2}\noutputs: [x, "
         "q, r1, r2]\n";
}

// It hangs in both hinges alike, and its spring gives way by torque / stiffness.
TEST(RedundantRest, OfADoorOnTwoHingesIsThatOnOne) {
  for (const Units& units : allUnits()) {
    for (const double gravity : {0.0, 9.81}) {
      const EquilibriumResult rest =
          analysis::findEquilibrium(buildModel(door(units, gravity, 0.1)));
      ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure) << ": " << units.name();
      EXPECT_TRUE(rest.report.neutral.empty()) << rest.report.neutral << ": " << units.name();
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(rest.outputs[i] / units.length, 0.0, 1e-12) << units.name();
      }
      EXPECT_NEAR(rest.outputs[3], 0.1, 1e-12) << units.name();
      // Of what both carry, where only their sum is determined, each takes one half.
      const double carried[3] = {1.0, 2.0, 3.0 - gravity};
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR((rest.outputs[4 + i] + rest.outputs[7 + i]) / units.force(), -carried[i], 1e-9)
            << units.name();
      }
      EXPECT_NEAR(rest.outputs[5] / units.force(), -0.5 * carried[1], 1e-6) << units.name();
    }
  }
}

// Without a spring, nothing holds it about its axis, and that is all.
TEST(RedundantRest, FindsTheMotionThatHingesLeave) {
  for (const Units& units : allUnits()) {
    std::string text = door(units, 0.0, 0.0);
    const std::size_t at = text.find(", stiffness:");
    text.erase(at, text.find('}', at) - at);
    const EquilibriumResult rest = analysis::findEquilibrium(buildModel(text));
    ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure) << ": " << units.name();
    EXPECT_EQ(rest.report.neutral, "motion of a ry") << units.name();
    EXPECT_NEAR(rest.outputs[1] / units.length, 0.0, 1e-12) << units.name();
  }
}

// A four-bar linkage with hinges everywhere, three of its constraints redundant, on a spring: with crank and rocker of the same
// length its coupler moves straight, and 3/2 m g l sin q + ... balances k (rest - q).
TEST(RedundantRest, OfAParallelLinkageBalancesItsSpring) {
  for (const Units& units : allUnits()) {
    for (const double gravity : {0.0, 9.81}) {
      const auto n = [](double value) { return writeNumber(value); };
      const double l = units.length, k = 50.0 * units.force() * l, rest = 0.4;
      const std::string J = n(0.1 * units.mass * l * l);
      const auto body = [&](const std::string& name) {
        return name + ": {node: " + name + ", mass: " + n(units.mass) + ", inertia: [" + J + ", " +
               J + ", " + J + "]}";
      };
      const auto hinge = [&](const std::string& name, const std::string& nodes, double x, double z,
                             const std::string& more = "") {
        return "  " + name + ": {type: hinge, between: [" + nodes + "], at: [" + n(x * l) +
               ", 0, " + n(z * l) + "], axis: [0, 1, 0]" + more + "}\n";
      };
      const std::string text =
          "gravity: [0, 0, " + n(-gravity * l / (units.time * units.time)) +
          "]\nnodes: {u: [0, 0, " + n(0.5 * l) + "], c: [" + n(0.5 * l) + ", 0, " + n(l) +
          "], v: [" + n(l) + ", 0, " + n(0.5 * l) + "]}\nbodies: {" + body("u") + ", " + body("c") +
          ", " + body("v") + "}\njoints:\n" +
          hinge("A", "ground, u", 0.0, 0.0, ", stiffness: " + n(k) + ", rest: 0.4") +
          hinge("B", "u, c", 0.0, 1.0) + hinge("C", "c, v", 1.0, 1.0) +
          hinge("D", "ground, v", 1.0, 0.0) + "sensors: {q: {measure: angle, joint: A}}\n";
      // k (q - rest) = 2 m g l sin q: two cranks at half their length, the coupler at the whole.
      const double weight = 2.0 * units.mass * gravity * l * l / (units.time * units.time);
      const double expected =
          bisect([&](double q) { return (k * (q - rest) - weight * std::sin(q)) / k; }, 0.0, 1.5);
      const EquilibriumResult found = analysis::findEquilibrium(buildModel(text));
      ASSERT_TRUE(found.report.ok()) << messageOf(found.report.failure) << ": " << units.name();
      EXPECT_NEAR(found.outputs[0], expected, 1e-10) << units.name();
      EXPECT_TRUE(found.report.neutral.empty()) << found.report.neutral << ": " << units.name();
    }
  }
}

// A rotor between two bearings, pushed along its axis by far more than its own spin would need.
TEST(RedundantRest, OfARotorOnTwoHingesIsWhereTheyHoldIt) {
  for (const double force : {1.0, 1e3, 1e6}) {
    const EquilibriumResult steady = analysis::findSteadyMotion(buildModel(
        "nodes: {a: {position: [0, 0, 0], angular_velocity: [1, 0, 0]}}\nbodies: {a: {node: a, "
        "mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints:\n  h1: {type: hinge, between: [ground, a], "
        "at: [1, 0, 0], axis: [1, 0, 0]}\n  h2: {type: hinge, between: [ground, a], at: [-1, 0, "
        "0], axis: [1, 0, 0]}\nloads: {f: {node: a, force: [" +
        writeNumber(force) +
        ", 0, 0]}}\nsensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}, r: "
        "{measure: force, joint: h1, direction: [1, 0, 0]}}\noutputs: [x, r]\n"));
    ASSERT_TRUE(steady.report.ok()) << messageOf(steady.report.failure);
    // To the last digits of the force over the small mass that holds what is free (10.6).
    EXPECT_NEAR(steady.outputs[0], 0.0, 1e-15 * force) << force;
    EXPECT_NEAR(steady.outputs[1] / force, -0.5, 1e-6) << force;
  }
}

}  // namespace
}  // namespace flexloop::test
