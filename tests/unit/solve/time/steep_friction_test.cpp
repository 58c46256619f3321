// Friction that changes its sign within a hair of velocity (docs/theory/09_time.md, section 9.2): Newton's corrections lead
// across it, back and forth, and what lies between has to be looked for.
#include <string>

#include <gtest/gtest.h>

#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"
#include "support/model_run.hpp"
#include "system/assembler.hpp"

namespace flexloop::test {
namespace {

std::string makeLaw(const std::string& law, const std::string& of, const std::string& steepness) {
  return "blocks: {u: {type: expression, inputs: [" + of + "], value: \"= -5*" + law + "(" +
         steepness + "*" + of + ")\"}}\n";
}

// A body of 1 kg at 1 m/s comes to rest after 0.2 s and 0.1 m.
TEST(SteepFriction, ABodyComesToRest) {
  for (const char* steepness : {"1e4", "1e6", "1e8", "1e10"}) {
    SCOPED_TRACE(steepness);
    const ModelRun run = runModel(
        "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}\n"
        "bodies: {a: {node: a, mass: 1}}\n"
        "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}, v: {measure: "
        "velocity, node: a, direction: [1, 0, 0]}}\n" +
            makeLaw("tanh", "v", steepness) +
            "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: u}}\n",
        "x, v", "end: 0.4, step: 1 ms");
    EXPECT_NEAR(run.last("x"), 0.1, 1e-3);
    EXPECT_NEAR(run.last("v"), 0.0, 1e-3);
  }
}

// A pendulum on a cart: friction holds their hinge, so that both move as one with the momentum along the rail that they had.
TEST(SteepFriction, AHingeIsHeld) {
  for (const char* constraints : {"index2", "index3"}) {
    for (const char* steepness : {"1e6", "1e8"}) {
      SCOPED_TRACE(std::string(constraints) + ' ' + steepness);
      const ModelRun run = runModel(
          "gravity: [0, 0, -9.81]\n"
          "nodes: {a: {position: [0, 0, 0], free: [x], velocity: [0.5, 0, 0]}, p: [0, 0, -0.5]}\n"
          "bodies: {a: {node: a, mass: 1}, p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
          "joints: {h: {type: hinge, between: [a, p], at: [0, 0, 0], axis: [0, 1, 0], start_rate: "
          "2}}\n"
          "sensors: {v: {measure: velocity, node: a, direction: [1, 0, 0]}, vp: {measure: "
          "velocity, "
          "node: p, direction: [1, 0, 0]}, w: {measure: rate, joint: h}}\n" +
              makeLaw("tanh", "w", steepness) +
              "actuators: {m: {type: torque, joint: h, input: u}}\n",
          "v, vp, w", "end: 0.4, step: 1 ms, constraints: " + std::string(constraints));
      EXPECT_NEAR(run.last("w"), 0.0, 1e-3);
      const double mean = 0.5 * (run.at(0.0, "v") + run.at(0.0, "vp"));
      EXPECT_NEAR(run.last("v"), mean, 1e-3);
      EXPECT_NEAR(run.last("vp"), mean, 1e-3);
    }
  }
}

// Corrections of a top that has converged up to round-off lead back and forth as well, and end its steps.
TEST(SteepFriction, RoundOffIsNotMistakenForIt) {
  const model::Model model = buildModel(
      "formulation: se3\n"
      "gravity: [0, 0, -9.81]\n"
      "nodes: {centre: {position: [0, 1, 0], velocity: [4.61538, 0, 0], angular_velocity: [0, 150, "
      "-4.61538]}}\n"
      "bodies: {top: {node: centre, mass: 15, inertia: [0.234375, 0.46875, 0.234375]}}\n"
      "joints: {pivot: {type: spherical, between: [ground, centre], at: [0, 0, 0]}}\n"
      "analysis: {time: {end: 1, step: 1 ms, rho: 0.8, newton: {tolerance: 1e-6}}}\n");
  const model::TimeSettings& settings = *model.time();
  const solve::MachineLoan machine = model.borrowMachine();
  system::State state = model.system().start();
  machine->begin(state);
  ASSERT_TRUE(solve::makeConsistent(*machine, state).ok());
  solve::StepperOptions options;
  options.scheme = settings.scheme;
  options.tolerance = settings.newtonTolerance;
  solve::TimeStepper stepper(*machine, options, state);
  stepper.start(state, settings.step);
  for (int i = 0; i < 1000; ++i) {
    const solve::StepReport report = stepper.step(state, settings.step);
    ASSERT_TRUE(report.converged()) << "at " << state.time << ": " << messageOf(report.failure);
    EXPECT_LT(report.iterations, 12) << "at " << state.time;
  }
}

}  // namespace
}  // namespace flexloop::test
