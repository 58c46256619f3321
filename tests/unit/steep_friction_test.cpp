// Friction that changes its sign within a hair of velocity (docs/theory/09_time.md, section 9.2): Newton's corrections lead
// across it, back and forth, and what lies between has to be looked for.
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

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

}  // namespace
}  // namespace flexloop::test
