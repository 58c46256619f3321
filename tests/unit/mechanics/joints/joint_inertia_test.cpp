// Rotors on the coordinates of joints, and where a joint starts, against closed forms.
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

// A hinge with a spring: (J + I) q'' + k q = 0 from q0 and w0.
TEST(JointInertiaTest, ARotorSlowsAHingeDown) {
  const ModelRun run = runModel(R"(
nodes: {arm: [0, 0, 0]}
bodies: {arm: {node: arm, mass: 1, inertia: [0.1, 0.2, 0.1]}}
joints: {h: {type: hinge, between: [ground, arm], axis: [0, 1, 0], stiffness: 5, inertia: 0.1, rotor: {inertia: 1e-3, ratio: -20}, start: 30 deg, start_rate: 2 rad/s}}
sensors: {q: {measure: angle, joint: h}, w: {measure: rate, joint: h}, T: {measure: energy, component: kinetic}}
)",
                                "q, w, T", "end: 1, step: 1 ms");
  const double I = 0.2 + 0.1 + 400.0 * 1e-3, w = std::sqrt(5.0 / I), q0 = kPi / 6.0;
  for (const double t : {0.0, 0.3, 0.7, 1.0}) {
    EXPECT_NEAR(run.at(t, "q"), q0 * std::cos(w * t) + 2.0 / w * std::sin(w * t), 1e-5) << t;
    EXPECT_NEAR(run.at(t, "T"), 0.5 * I * std::pow(run.at(t, "w"), 2), 1e-9) << t;
  }
}

TEST(JointInertiaTest, ASpindleAddsToTheMass) {
  const ModelRun run = runModel(R"(
nodes: {cart: [0, 0, 0]}
bodies: {cart: {node: cart, mass: 2, inertia: [1, 1, 1]}}
joints: {s: {type: slider, between: [ground, cart], axis: [1, 0, 0], rotor: {inertia: 0.01, ratio: 20 rad/m}, inertia: 3}}
loads: {f: {node: cart, force: [6, 0, 0]}}
sensors: {x: {measure: displacement, joint: s}}
)",
                                "x", "end: 1, step: 10 ms");
  EXPECT_NEAR(run.last("x"), 0.5 * 6.0 / (2.0 + 3.0 + 4.0), 1e-9);
}

// Two free bodies: the rotor resists only their relative turning, and the sum of their momenta stays.
TEST(JointInertiaTest, OnlyTheRelativeMotionIsSlowed) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [0, 0, 0], angular_velocity: [0, 0, 1]}, B: {position: [0, 0, 0], angular_velocity: [0, 0, 1]}}
bodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}, B: {node: B, mass: 1, inertia: [2, 2, 3]}}
joints: {h: {type: hinge, between: [A, B], axis: [0, 0, 1], inertia: 2}}
loads: {m: {node: A, torque: [0, 0, 5]}}
sensors:
  a: {measure: angular_velocity, node: A, direction: [0, 0, 1]}
  b: {measure: angular_velocity, node: B, direction: [0, 0, 1]}
)",
                                "a, b", "end: 1, step: 10 ms");
  // a' + 2 (a' - b') = 5, 3 b' = 2 (a' - b'): a' = 25/11, b' = 10/11.
  EXPECT_NEAR(run.last("a"), 1.0 + 25.0 / 11.0, 1e-8);
  EXPECT_NEAR(run.last("b"), 1.0 + 10.0 / 11.0, 1e-8);
}

TEST(JointInertiaTest, WhatHangsOnTheSecondNodeStartsWithTheJoint) {
  const ModelRun run = runModel(R"(
nodes: {A: [0, 0, 0], B: [1, 0, 0], C: [2, 0, 0]}
bodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}, C: {node: C, mass: 1, inertia: [1, 1, 1]}}
joints:
  base: {type: weld, between: [ground, A]}
  h: {type: hinge, between: [A, B], at: [1, 0, 0], axis: [0, 0, 1], start: 90 deg, start_rate: 2 rad/s}
  arm: {type: weld, between: [B, C]}
sensors: {p: {measure: position, node: C}, v: {measure: velocity, node: C}, q: {measure: angle, joint: h}}
)",
                                "p, v, q", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.at(0.0, "q"), kPi / 2.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "p.x"), 1.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "p.y"), 1.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "v.x"), -2.0, 1e-12);
  EXPECT_NEAR(run.at(0.0, "v.y"), 0.0, 1e-12);
}

TEST(JointInertiaTest, Mistakes) {
  const auto mistakesOfJoint = [](const std::string& values) {
    return mistakesOf(
        "nodes: {A: [0, 0, 0]}\nbodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {h: {type: hinge, between: [ground, A], axis: [0, 0, 1], " +
        values + "}}\n");
  };
  EXPECT_TRUE(says(mistakesOfJoint("inertia: -1"), "joints.h.inertia"));
  EXPECT_TRUE(says(mistakesOfJoint("rotor: {ratio: 3}"), "'inertia' is missing"));
  EXPECT_TRUE(says(mistakesOfJoint("rotor: {inertia: 1 kg, ratio: 3}"), "joints.h.rotor.inertia"));
}

}  // namespace
}  // namespace flexloop::test
