// Redundant constraints: a planar four-bar linkage with four spatial hinges has three of them.
#include "solve/redundancy.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solve/equilibrium.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time_stepper.hpp"
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
  EXPECT_EQ(report.compliance.norm(), 0.0);
}

// Statics by hand: the top bar hangs on B and C with half its weight each, each crank adds its own,
// and nothing acts out of the plane.
TEST(Redundancy, ReactionsAreUniqueAndMeaningful) {
  const test::BuiltSample built = test::buildSample(kFourBar);
  system::Assembler assembler(built.system);
  system::State state = built.system.start();
  const auto redundancy = solve::analyzeRedundancy(assembler, state);
  const auto found = solve::findEquilibrium(assembler, state, redundancy.compliance);
  ASSERT_TRUE(found.ok) << found.trouble;
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
  system::Assembler assembler(built.system);
  system::State state = built.system.start();
  const auto redundancy = solve::analyzeRedundancy(assembler, state);
  solve::StepperOptions options;
  options.scheme.motion = solve::makeChungHulbert(0.8);
  solve::TimeStepper stepper(assembler, options);
  stepper.setCompliance(redundancy.compliance, redundancy.accelerationCompliance);
  solve::MassSystem massSystem(assembler);
  massSystem.setCompliance(redundancy.accelerationCompliance);
  ASSERT_TRUE(solve::makeConsistent(assembler, massSystem, state).ok);
  stepper.start(state, 1e-3);
  for (int k = 0; k < 2000; ++k) {
    const auto report = stepper.step(state, 1e-3);
    ASSERT_TRUE(report.converged) << report.trouble << " at " << state.time;
  }
  // The spring's damper has brought the linkage to rest.
  EXPECT_NEAR(read(built, assembler, state, "fD").y(), 15.0, 1e-2);
  EXPECT_NEAR(read(built, assembler, state, "fD").z(), 0.0, 1e-2);
}

// A cart whose node moves along x only, on a slider that asks for the same: the slider's spring acts, its drive
// moves the cart, and what it demands of the held freedoms is no trouble.
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
  EXPECT_FALSE(run.report.ok);
}

}  // namespace
}  // namespace flexloop
