// Latches: constraints that a signal closes and opens (docs/theory/41_losses_and_latches.md, section 41.4).
#include <cmath>
#include <sstream>
#include <string>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// A cart of 1 kg at 2 m/s is gripped by one of 3 kg, and dropped again.
std::string carts(double length = 1.0, double mass = 1.0) {
  return "nodes:\n  a: {position: [0, 0, 0], free: [x], velocity: [" + text(2.0 * length) +
         ", 0, 0]}\n  b: {position: [" + text(5.0 * length) +
         ", 0, 0], free: [x]}\n"
         "bodies: {a: {node: a, mass: " +
         text(mass) + "}, b: {node: b, mass: " + text(3.0 * mass) +
         "}}\n"
         "joints: {grip: {type: latch, between: [a, b], when: held}}\n"
         "blocks: {on: {type: step, at: 0.5}, push: {type: step, at: 1.2}, held: {type: sum, "
         "inputs: [on, -push]}}\n"
         "loads: {f: {node: b, force: [" +
         text(6.0 * mass * length) +
         ", 0, 0], signal: push}}\n"
         "sensors:\n  xa: {measure: position, node: a, direction: [1, 0, 0]}\n"
         "  xb: {measure: position, node: b, direction: [1, 0, 0]}\n"
         "  va: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
         "  vb: {measure: velocity, node: b, direction: [1, 0, 0]}\n"
         "  e: {measure: energy}\n";
}

TEST(Latch, ExchangesMomentumAndLetsGo) {
  for (const char* form : {"index2", "index3"}) {
    const ModelRun run = runModel(carts(), "xa, xb, va, vb, e.kinetic",
                                  std::string("end: 1.7, step: 10 ms, constraints: ") + form);
    EXPECT_NEAR(run.at(0.4, "va"), 2.0, 1e-13);
    for (const char* v : {"va", "vb"}) EXPECT_NEAR(run.at(0.9, v), 0.5, 1e-12) << form;
    EXPECT_NEAR(run.at(0.4, "e.kinetic") - run.at(0.9, "e.kinetic"), 1.5, 1e-11) << form;
    EXPECT_NEAR(run.at(1.1, "xa"), 1.0 + 0.3, 1e-10) << form;
    EXPECT_NEAR(run.at(1.1, "xb") - run.at(1.1, "xa"), 4.0, 1e-10) << form;
    EXPECT_NEAR(run.last("va"), 0.5, 1e-11) << form;
    EXPECT_NEAR(run.last("vb"), 0.5 + 1.0, 1e-10) << form;
  }
}

// An open latch between two bodies on joints of their own is not there; closed, it makes them one.
TEST(Latch, ConnectsBodiesOnJoints) {
  for (const char* between : {"cart, arm", "arm, cart"}) {
    const std::string model = R"(
gravity: [0, 0, -10]
nodes: {cart: {position: [0, 0, 0.5], velocity: [0, 0, 2]}, arm: [0.4, 0, 0.5]}
bodies: {cart: {node: cart, mass: 2, inertia: [1, 1, 1]}, arm: {node: arm, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints:
  rail: {type: slider, between: [ground, cart], axis: [0, 0, 1]}
  pin: {type: spherical, between: [ground, arm]}
  grip: {type: latch, between: [)" +
                              std::string(between) + R"(], when: held}
blocks: {held: {type: step, at: 0.1}}
sensors: {z: {measure: displacement, joint: rail}, v: {measure: rate, joint: rail}}
)";
    const ModelRun run = runModel(model, "z, v", "end: 0.2, step: 5 ms");
    EXPECT_NEAR(run.at(0.095, "v"), 1.05, 1e-12) << between;
    EXPECT_NEAR(run.last("v"), 0.0, 1e-12) << between;
    EXPECT_NEAR(run.last("z"), 0.15, 1e-9) << between;
  }
}

TEST(Latch, IsTheSameInAllUnits) {
  for (const double unit : {1e-12, 1e12}) {
    for (const std::string& model : {carts(unit), carts(1.0, unit)}) {
      const ModelRun run = runModel(model, "va, vb", "end: 1, step: 10 ms");
      EXPECT_NEAR(run.last("va") / run.at(0.0, "va"), 0.25, 1e-10) << unit;
      EXPECT_NEAR(run.last("vb") / run.at(0.0, "va"), 0.25, 1e-10) << unit;
    }
  }
}

using Vec3 = Eigen::Vector3d;

Vec3 vectorAt(const ModelRun& run, double time, const std::string& name) {
  return {run.at(time, name + ".x"), run.at(time, name + ".y"), run.at(time, name + ".z")};
}

// Two bodies that tumble in space: linear and angular momentum are the same before and after, and the pose is kept.
TEST(Latch, KeepsTheMomentumOfBodiesInSpace) {
  const std::string model =
      "nodes:\n"
      "  A: {position: [0, 0, 0], velocity: [1, 0.2, -0.3], angular_velocity: [0.5, 2, -1]}\n"
      "  B: {position: [0.5, 0.3, 0.1], velocity: [-0.4, 0.1, 0.6], angular_velocity: [-1, 0.3, "
      "0.8]}\n"
      "bodies:\n  a: {node: A, mass: 1.5, inertia: [0.2, 0.2, 0.2]}\n"
      "  b: {node: B, mass: 0.7, inertia: [0.05, 0.05, 0.05]}\n"
      "joints: {grip: {type: latch, between: [A, B], when: held}}\n"
      "blocks: {held: {type: step, at: 0.3}}\n"
      "sensors:\n  xa: {measure: position, node: A}\n  xb: {measure: position, node: B}\n"
      "  va: {measure: velocity, node: A}\n  vb: {measure: velocity, node: B}\n"
      "  wa: {measure: angular_velocity, node: A}\n  wb: {measure: angular_velocity, node: B}\n"
      "  d: {measure: distance, between: [A, B]}\n  e: {measure: energy}\n";
  const ModelRun run =
      runModel(model, "xa, xb, va, vb, wa, wb, d, e.kinetic", "end: 1, step: 1 ms, rho: 1");
  const auto linear = [&](double t) -> Vec3 {
    return 1.5 * vectorAt(run, t, "va") + 0.7 * vectorAt(run, t, "vb");
  };
  const auto angular = [&](double t) -> Vec3 {
    return 1.5 * vectorAt(run, t, "xa").cross(vectorAt(run, t, "va")) +
           0.7 * vectorAt(run, t, "xb").cross(vectorAt(run, t, "vb")) +
           0.2 * vectorAt(run, t, "wa") + 0.05 * vectorAt(run, t, "wb");
  };
  for (const double t : {0.301, 0.6, 1.0}) {
    EXPECT_LT((linear(t) - linear(0.0)).norm(), 1e-9) << t;
    EXPECT_LT((angular(t) - angular(0.0)).norm(), 2e-7) << t;
    EXPECT_LT((vectorAt(run, t, "wa") - vectorAt(run, t, "wb")).norm(), 1e-11) << t;
    EXPECT_NEAR(run.at(t, "d"), run.at(0.3, "d"), 1e-11) << t;
  }
  // (41.11): what is left is the energy of one rigid body with this momentum.
  EXPECT_LT(run.last("e.kinetic"), run.at(0.25, "e.kinetic"));
  EXPECT_NEAR(run.last("e.kinetic"), run.at(0.31, "e.kinetic"), 1e-6);
}

// A pendulum that a pawl stops at 0.3 rad, in the course of a step; it hangs there exactly, and swings on as if released there.
TEST(Latch, ClosesWhereTheMotionCommandsIt) {
  const std::string model =
      "gravity: [0, 0, -9.81]\n"
      "nodes: {bob: [1, 0, 0]}\nbodies: {bob: {node: bob, mass: 2, inertia: [0, 0, 0]}}\n"
      "joints: {h: {type: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], latch: "
      "pawl}}\n"
      "sensors: {q: {measure: angle, joint: h}, w: {measure: rate, joint: h}, t: {measure: torque, "
      "joint: h, direction: [0, 1, 0]}}\n"
      "blocks:\n  passed: {type: comparison, input: q, to: 0.3, relation: greater}\n"
      "  timer: {type: step, at: 1, from: 1, to: 0}\n"
      "  pawl: {type: product, inputs: [passed, timer]}\n";
  const ModelRun run = runModel(model, "q, w", "end: 1.2, step: 10 ms, rho: 0.9");
  EXPECT_NEAR(run.at(0.9, "q"), 0.3, 1e-7);
  EXPECT_EQ(run.at(0.5, "q"), run.at(0.9, "q"));
  EXPECT_NEAR(run.at(0.9, "w"), 0.0, 1e-25);
  // From rest, under g cos(0.3) at first: 0.2 s later.
  EXPECT_NEAR(run.last("w"), 9.81 * std::cos(0.3) * 0.2, 0.05);
}

std::string hanging(const std::string& latch) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {m: {position: [0, 0, 0], free: [z]}}\nbodies: {m: {node: m, mass: 2}}\n"
         "joints: {s: {type: slider, between: [ground, m], axis: [0, 0, 1], stiffness: 200, "
         "latch: " +
         latch +
         "}}\nsensors: {z: {measure: displacement, joint: s}}\n"
         "blocks:\n  on: {type: constant, value: 1}\n  off: {type: constant, value: 0}\n";
}

TEST(Latch, TakesItsBranchIntoRestAndModes) {
  for (const auto& [latch, z] : {std::pair("on", 0.0), std::pair("off", -2.0 * 9.81 / 200.0)}) {
    model::OperatingPoint about;
    about.kind = model::OperatingPoint::Kind::kEquilibrium;
    const analysis::ModeResult result = modesOf(hanging(latch), {}, about);
    EXPECT_FALSE(result.failure) << messageOf(result.failure);
    if (z == 0.0) {
      EXPECT_TRUE(result.modes.empty());
    } else {
      ASSERT_EQ(result.modes.size(), 1u);
      EXPECT_NEAR(std::abs(result.modes[0].eigenvalue.imag()), 10.0, 1e-9);
    }
  }
}

// A signal that opens the latch where it holds, and closes it where it does not.
TEST(Latch, NamesACommandThatContradictsItself) {
  const model::Model model = buildModel(
      hanging("wish") + "  wish: {type: comparison, input: z, to: -0.05, relation: less}\n");
  const auto rest = analysis::findEquilibrium(model);
  ASSERT_TRUE(rest.report.failure);
  EXPECT_TRUE(says(rest.report.failure->message, "the latch of s is"));
}

TEST(Latch, MistakesAreNamed) {
  EXPECT_EQ(mistakesOf(hanging("on")), "");
  EXPECT_TRUE(
      says(mistakesOf(hanging("on, locked: true")), "'latch' cannot be combined with 'locked'"));
  EXPECT_TRUE(
      says(mistakesOf(hanging("on, drive: 0.1")), "'latch' cannot be combined with 'drive'"));
  EXPECT_TRUE(says(mistakesOf(hanging("nothing")), "nothing"));
  EXPECT_TRUE(says(mistakesOf(hanging("1")), "a latch needs a signal"));
}

}  // namespace
}  // namespace flexloop::test
