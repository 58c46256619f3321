// Nodes that are partly held, along and about axes that are turned away from those of ground. The truth is the same machine unturned.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// Placed as it is and turned, with these settings beside the turn.
std::string twice(const std::string& assembly, const std::string& turn) {
  return "gravity: [0, 0, 0]\nassemblies:\n  machine:\n" + assembly +
         "instances:\n  a: {of: machine}\n  b: {of: machine, position: [3, 1, -2], rotation: " +
         turn + "}\n";
}

constexpr const char* kAnyTurn = "{axis: [1, 2, -0.5], angle: 50 deg}";

TEST(SkewFreedoms, ACartRunsAlongATurnedLine) {
  // x = sin(ω t)/ω with ω = 10/s, less what steps of 1 ms err.
  const ModelRun run = runModel(twice(R"(
    nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
    bodies: {cart: {node: cart, mass: 1}}
    springs: {s: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 100}}
    sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
)",
                                      kAnyTurn),
                                "a.x, b.x", "end: 1, step: 1 ms");
  EXPECT_NEAR(run.last("b.x"), std::sin(10.0) / 10.0, 2e-5);
  EXPECT_NEAR(run.last("b.x"), run.last("a.x"), 1e-12);
}

TEST(SkewFreedoms, APuckGlidesAndTurnsOnATurnedPlane) {
  for (const char* freedoms : {"x, y", "x, y, rz", "x, y, rx, ry, rz"}) {
    const ModelRun run = runModel(twice(std::string(R"(
    nodes: {puck: {position: [0, 0, 0], free: [)") +
                                            freedoms + R"(], velocity: [1, 0.5, 0]}}
    bodies: {puck: {node: puck, mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0]}}
    springs: {s: {type: linear, between: [ground, puck], direction: [0, 1, 0], stiffness: 30}}
    loads: {push: {node: puck, force: [0, 1, 2]}}
    sensors:
      x: {measure: displacement, node: puck, direction: [1, 0, 0]}
      y: {measure: displacement, node: puck, direction: [0, 1, 0]}
      z: {measure: displacement, node: puck, direction: [0, 0, 1]}
)",
                                        kAnyTurn),
                                  "a.x, b.x, a.y, b.y, b.z", "end: 0.5, step: 1 ms");
    EXPECT_NEAR(run.last("b.x"), run.last("a.x"), 1e-6) << freedoms;
    EXPECT_NEAR(run.last("b.y"), run.last("a.y"), 1e-6) << freedoms;
    EXPECT_NEAR(run.last("b.z"), 0.0, 1e-12) << freedoms;
  }
}

TEST(SkewFreedoms, ARotorTurnsAboutATurnedAxisAndMaySlideAlongIt) {
  for (const char* freedoms : {"rz", "z, rz"}) {
    const ModelRun run = runModel(twice(std::string(R"(
    nodes: {rotor: {position: [0, 0, 0], free: [)") +
                                            freedoms + R"(], angular_velocity: [0, 0, 3]}}
    bodies: {rotor: {node: rotor, mass: 1, inertia: [0.1, 0.1, 0.2]}}
    loads: {turn: {node: rotor, torque: [0, 0, 0.4]}}
    sensors: {w: {measure: angular_velocity, node: rotor, direction: [0, 0, 1]}}
)",
                                        kAnyTurn),
                                  "b.w", "end: 1, step: 1 ms");
    EXPECT_NEAR(run.last("b.w"), 5.0, 1e-9) << freedoms;
  }
}

TEST(SkewFreedoms, WhatNoGuideLeavesIsRejected) {
  for (const char* freedoms : {"rx, ry", "x, rz", "x, y, z, rz"}) {
    const std::string model = twice(std::string(R"(
    nodes: {n: {position: [0, 0, 0], free: [)") +
                                        freedoms + R"(]}}
    bodies: {n: {node: n, mass: 1, inertia: [1, 1, 1]}}
)",
                                    kAnyTurn);
    EXPECT_THROW(buildModel(model), base::InputError) << freedoms;
  }
}

TEST(SkewFreedoms, AVelocityAcrossTheLineIsRejected) {
  const std::string model = twice(R"(
    nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0.1, 0]}}
    bodies: {cart: {node: cart, mass: 1}}
)",
                                  kAnyTurn);
  EXPECT_THROW(buildModel(model), base::InputError);
}

}  // namespace
}  // namespace flexloop::test
