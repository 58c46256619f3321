// Redundant constraints: a planar four-bar linkage with four spatial hinges has three of them.
#include "solve/redundancy.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solve/balance/equilibrium.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"
#include "support/built_sample.hpp"
#include "support/model_run.hpp"

namespace flexloop {
namespace {

// A parallelogram of rods of 1 kg in the plane x–y, gravity along −y, the left crank held by a spring.
const char* const kFourBar = R"(
flexloop: 1
gravity: [0, -10, 0]
nodes: {left: [0, 0.5, 0], top: [0.5, 1, 0], right: [1, 0.5, 0]}
bodies:
  left:  {node: left, mass: 1, inertia: [0.1, 0.1, 0.1]}
  top:   {node: top, mass: 1, inertia: [0.1, 0.1, 0.1]}
  right: {node: right, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: hinge, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1], stiffness: 1e4, damping: 100}
  B: {type: hinge, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: hinge, between: [top, right], at: [1, 1, 0], axis: [0, 0, 1]}
  D: {type: hinge, between: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}
sensors:
  fA: {measure: force, joint: A}
  fB: {measure: force, joint: B}
  fC: {measure: force, joint: C}
  fD: {measure: force, joint: D}
  mD: {measure: torque, joint: D}
)";

Eigen::Vector3d read(const test::BuiltSample& built, system::Assembler& assembler,
                     const system::State& state, const char* name) {
  Eigen::Vector3d value;
  built.measures.at(name)->calcValue(assembler.calcMotion(state), value.data());
  return value;
}

TEST(Redundancy, IsFoundAndNamed) {
  const test::BuiltSample built = test::buildSample(kFourBar);
  system::Assembler assembler(built.system);
  const auto report = solve::analyzeRedundancy(assembler, built.system.start());
  EXPECT_EQ(report.constraints, 20);
  EXPECT_EQ(report.redundant(), 3);
  EXPECT_EQ(report.mobility(), 1);
  ASSERT_EQ(report.groups.size(), 3U);
  for (const auto& group : report.groups) {
    EXPECT_GE(group.size(), 2U);
    for (const std::string& equation : group) {
      EXPECT_NE(std::string("ABCD").find(equation[0]), std::string::npos) << equation;
    }
  }
}

TEST(Redundancy, OpenChainHasNone) {
  const test::BuiltSample built = test::buildSample(R"(
flexloop: 1
nodes: {left: [0, 0.5, 0.1]}
bodies: {left: {node: left, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: hinge, between: [ground, left], at: [0, 0, 0], axis: [0.2, 0, 1]}}
)");
  system::Assembler assembler(built.system);
  const auto report = solve::analyzeRedundancy(assembler, built.system.start());
  EXPECT_EQ(report.redundant(), 0);
  EXPECT_TRUE(report.dependentRows.empty());
}

// Statics by hand: the top bar hangs on B and C with half its weight each, each crank adds its own,
// and nothing acts out of the plane.
TEST(Redundancy, ReactionsAreUniqueAndMeaningful) {
  const test::BuiltSample built = test::buildSample(kFourBar);
  system::Assembler assembler(built.system);
  system::State state = built.system.start();
  const auto redundancy = solve::analyzeRedundancy(assembler, state);
  const auto found = solve::findEquilibrium(assembler, state, redundancy.dependentRows);
  ASSERT_TRUE(found.ok()) << messageOf(found.failure);
  EXPECT_NEAR(read(built, assembler, state, "fB").y(), 5.0, 1e-3);
  EXPECT_NEAR(read(built, assembler, state, "fC").y(), -5.0, 1e-3);
  EXPECT_NEAR(read(built, assembler, state, "fA").y(), 15.0, 1e-3);
  EXPECT_NEAR(read(built, assembler, state, "fD").y(), 15.0, 1e-3);
  for (const char* joint : {"fA", "fB", "fC", "fD"}) {
    EXPECT_NEAR(read(built, assembler, state, joint).z(), 0.0, 1e-3) << joint;
  }
  EXPECT_NEAR(read(built, assembler, state, "mD").x(), 0.0, 1e-3);
  EXPECT_NEAR(read(built, assembler, state, "mD").y(), 0.0, 1e-3);
}

TEST(Redundancy, IsSurvivedInTime) {
  const test::BuiltSample built = test::buildSample(kFourBar);
  solve::PreparedMachine machine(built.system);
  system::State state = built.system.start();
  solve::StepperOptions options;
  options.scheme.motion = solve::makeChungHulbert(0.8);
  solve::TimeStepper stepper(machine, options, state);
  ASSERT_TRUE(solve::makeConsistent(machine, state).ok());
  stepper.start(state, 1e-3);
  for (int k = 0; k < 2000; ++k) {
    const auto report = stepper.step(state, 1e-3);
    ASSERT_TRUE(report.converged()) << messageOf(report.failure) << " at " << state.time;
  }
  // The spring's damper has brought the linkage to rest.
  EXPECT_NEAR(read(built, machine.assembler(), state, "fD").y(), 15.0, 1e-2);
  EXPECT_NEAR(read(built, machine.assembler(), state, "fD").z(), 0.0, 1e-2);
}

std::string number(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

// N windows side by side: uprights on the ground, couplers between their tops, hinges everywhere. With an
// inclination of 90 degrees all rods lie in one line.
std::string windows(int count, double length, double mass, double degrees = 0.0) {
  const double angle = degrees * std::numbers::pi / 180.0;
  const double sx = length * std::sin(angle), sy = length * std::cos(angle);
  const auto at = [](double x, double y) { return "[" + number(x) + ", " + number(y) + ", 0]"; };
  const double J = mass * length * length / 12.0;
  const std::string body = ", mass: " + number(mass) + ", inertia: [" + number(J) + ", " +
                           number(J) + ", " + number(J) + "]}\n";
  std::string nodes, bodies, joints;
  for (int i = 0; i <= count; ++i) {
    const std::string u = "u" + std::to_string(i), c = "c" + std::to_string(i);
    const std::string before = "u" + std::to_string(i - 1);
    const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b,
                           double x, double y) {
      joints += "  " + name + std::to_string(i) + ": {type: hinge, between: [" + a + ", " + b +
                "], at: " + at(x, y) + ", axis: [0, 0, 1]}\n";
    };
    const double x = i * length;
    nodes += "  " + u + ": " + at(x + 0.5 * sx, 0.5 * sy) + "\n";
    bodies += "  " + u + ": {node: " + u + body;
    hinge("A", "ground", u, x, 0.0);
    if (i == 0) continue;
    nodes += "  " + c + ": " + at(x - 0.5 * length + sx, sy) + "\n";
    bodies += "  " + c + ": {node: " + c + body;
    hinge("B", before, c, x - length + sx, sy);
    hinge("C", c, u, x + sx, sy);
  }
  return "flexloop: 1\nnodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + joints;
}

solve::RedundancyReport analyze(const std::string& text) {
  const test::BuiltSample built = test::buildSample(text);
  system::Assembler assembler(built.system);
  return solve::analyzeRedundancy(assembler, built.system.start());
}

// Three of every window: nothing holds it together across the plane but what already does.
TEST(Redundancy, OfAThousandWindows) {
  const auto report = analyze(windows(1000, 1.0, 1.0, 20.0));
  EXPECT_EQ(report.constraints, 15005);
  EXPECT_EQ(report.redundant(), 3000);
  EXPECT_EQ(report.mobility(), 1);
  EXPECT_EQ(report.groups.size(), 3000U);
  // All but the positions in the plane, three of five of every hinge.
  EXPECT_EQ(report.dependentRows.size(), 3U * 3001);
}

TEST(Redundancy, KnowsNoUnits) {
  for (const double length : {1e-12, 1.0, 1e12}) {
    for (const double mass : {1e-12, 1.0, 1e12}) {
      const auto report = analyze(windows(3, length, mass, 20.0));
      EXPECT_EQ(report.redundant(), 9) << length << ' ' << mass;
      EXPECT_EQ(report.mobility(), 1) << length << ' ' << mass;
      EXPECT_EQ(report.dependentRows.size(), 30U) << length << ' ' << mass;
    }
  }
}

// In one line the windows lose the rank of one constraint each: they could branch off.
TEST(Redundancy, OfWindowsInOneLine) {
  const auto report = analyze(windows(3, 1.0, 1.0, 90.0));
  EXPECT_EQ(report.redundant(), 12);
  EXPECT_EQ(report.mobility(), 4);
}

// A hub with many arms, and a ring that joins their ends: one loop for each arm, and arms that point to the
// middle let the ring turn about the hub, to first order.
TEST(Redundancy, OfAWheel) {
  constexpr int kArms = 60;
  std::string nodes = "  hub: [0, 0, 0]\n",
              bodies = "  hub: {node: hub, mass: 1, inertia: [1, 1, 1]}\n";
  std::string joints;
  const auto add = [&](const std::string& name, double x, double y) {
    nodes += "  " + name + ": [" + number(x) + ", " + number(y) + ", 0]\n";
    bodies += "  " + name + ": {node: " + name + ", mass: 1, inertia: [1, 1, 1]}\n";
  };
  const auto hinge = [&](const std::string& a, const std::string& b, double x, double y) {
    joints += "  " + a + "_" + b + ": {type: hinge, between: [" + a + ", " + b + "], at: [" +
              number(x) + ", " + number(y) + ", 0], axis: [0, 0, 1]}\n";
  };
  for (int i = 0; i < kArms; ++i) {
    const double a = 2.0 * std::numbers::pi * i / kArms,
                 b = 2.0 * std::numbers::pi * (i + 1) / kArms;
    const std::string arm = "a" + std::to_string(i), next = "a" + std::to_string((i + 1) % kArms);
    const std::string rim = "r" + std::to_string(i);
    add(arm, std::cos(a), std::sin(a));
    add(rim, 2.0 * std::cos(0.5 * (a + b)), 2.0 * std::sin(0.5 * (a + b)));
    hinge("hub", arm, 0.3 * std::cos(a), 0.3 * std::sin(a));
    hinge(arm, rim, 2.0 * std::cos(a), 2.0 * std::sin(a));
    hinge(rim, next, 2.0 * std::cos(b), 2.0 * std::sin(b));
  }
  const auto report =
      analyze("flexloop: 1\nnodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + joints);
  EXPECT_EQ(report.constraints, 15 * kArms);
  EXPECT_EQ(report.redundant(), 3 * kArms + 1);
  EXPECT_EQ(report.mobility(), 7);
}

// A cart whose node moves along x only, on a slider that asks for the same: the slider's spring acts, its drive
// moves the cart, and what it demands of the held freedoms is harmless.
TEST(Redundancy, OfAJointOnHeldFreedomsIsSurvived) {
  const std::string cart = R"(
nodes: {cart: {position: [0.2, 0.1, 0.3], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
blocks: {way: {type: expression, value: "= 0.5*t^2"}}
sensors:
  x: {measure: displacement, node: cart, direction: [1, 0, 0]}
  f: {measure: force, joint: rail}
)";
  const test::ModelRun driven = test::runModel(
      cart +
          "joints: {rail: {type: slider, between: [ground, cart], axis: [1, 0, 0], drive: way}}\n",
      "x, f", "end: 1, step: 10 ms");
  EXPECT_NEAR(driven.last("x"), 0.5, 1e-9);
  EXPECT_NEAR(driven.last("f.x"), 2.0, 1e-6);
  EXPECT_NEAR(driven.last("f.y"), 0.0, 1e-9);
  // x = 0.1 (1 − cos ωt) with ω = 10
  const test::ModelRun sprung = test::runModel(
      cart +
          "joints: {rail: {type: slider, between: [ground, cart], axis: [1, 0, 0], stiffness: 200, "
          "rest: 0.1}}\n",
      "x", "end: 0.3, step: 0.5 ms, rho: 1");
  EXPECT_NEAR(sprung.last("x"), 0.1 * (1.0 - std::cos(3.0)), 1e-6);
}

// A drive that would move a held freedom.
TEST(Redundancy, DoesNotHideADriveThatCannotMove) {
  const test::ModelRun run = test::tryModel(R"(
nodes: {cart: {position: [0, 0, 0], free: [y]}}
bodies: {cart: {node: cart, mass: 2}}
joints: {rail: {type: slider, between: [ground, cart], axis: [1, 0, 0], drive: way}}
blocks: {way: {type: ramp, slope: 1}}
sensors: {y: {measure: displacement, node: cart, direction: [0, 1, 0]}}
)",
                                            "y", "end: 1, step: 10 ms");
  EXPECT_FALSE(run.report.ok());
}

}  // namespace
}  // namespace flexloop
