// Joints against mechanics by hand: reactions, coordinates, turns, drives, and what is refused.
#include <numbers>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "math/so3.hpp"
#include "support/matrix_matchers.hpp"
#include "support/moving_machine.hpp"

namespace flexloop::test {
namespace {

using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;

// What the model's first error says.
std::string complaintOf(const std::string& text) {
  try {
    buildSample(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Joints, PullAHangingBodyUp) {
  MovingMachine machine(R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {B: {position: [0.3, 0.1, -0.5], rotation: {axis: [1, 2, 3], angle: 50 deg}}}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.2, 0.2], com: [0.05, -0.1, 0.2]}}
joints: {w: {type: weld, between: [ground, B], at: [0.2, 0, 0]}}
sensors:
  f: {measure: force, joint: w}
  m: {measure: torque, joint: w}
  fz: {measure: force, joint: w, direction: [0, 0, 2]}
)");
  const Vector3d weight(0, 0, -2 * 9.81);
  EXPECT_TRUE(isNear(machine.vector("f"), -weight, 1e-10));
  EXPECT_NEAR(machine.measure("fz"), 2 * 9.81, 1e-10);
  const Vector3d axis = Vector3d(1, 2, 3).normalized();
  const Vector3d rotation = axis * (50.0 / 180.0 * kPi);
  const Vector3d centre =
      Vector3d(0.3, 0.1, -0.5) + math::expSO3<double>(rotation) * Vector3d(0.05, -0.1, 0.2);
  const Vector3d arm = centre - Vector3d(0.2, 0, 0);
  EXPECT_TRUE(isNear(machine.vector("m"), math::cross<double>(weight, arm), 1e-10));
}

TEST(Joints, PushTheOtherEndDown) {
  MovingMachine machine(R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {B: [0.3, 0.1, -0.5]}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.2, 0.2]}}
joints: {w: {type: weld, between: [B, ground]}}
sensors: {f: {measure: force, joint: w}}
)");
  EXPECT_TRUE(isNear(machine.vector("f"), Vector3d(0, 0, -2 * 9.81), 1e-10));
}

// A horizontal arm held by its drive: the torque about the axis is what the motor gives.
TEST(Joints, MeasureTheTorqueOfADrive) {
  for (const char* hold : {"drive: zero", "drive: 0", "locked: true"}) {
    MovingMachine machine(std::string(R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {B: [0.5, 0, 0]}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.2, 0.2]}}
blocks: {zero: {type: constant, value: 0}}
joints: {h: {type: hinge, between: [ground, B], at: [0, 0, 0], axis: [0, 1, 0], )") +
                          hold + R"(}}
sensors: {m: {measure: torque, joint: h, direction: [0, 1, 0]}}
)");
    EXPECT_NEAR(machine.measure("m"), -0.5 * 2 * 9.81, 1e-10) << hold;
  }
}

constexpr const char* kRotor = R"(flexloop: 1
nodes: {B: {position: [0.3, 0.1, -0.5], rotation: {axis: [1, 2, 3], angle: 50 deg}}}
bodies: {b: {node: B, mass: 2, inertia: [0.1, 0.15, 0.2]}}
)";

TEST(Joints, CountTurnsOfADrivenHinge) {
  MovingMachine machine(std::string(kRotor) + R"(
blocks: {angle: {type: ramp, slope: 12}}
joints: {h: {type: hinge, between: [ground, B], axis: [1, 2, 2], drive: angle}}
sensors:
  phi: {measure: angle, joint: h}
  omega: {measure: rate, joint: h}
  turned: {measure: rotation, node: B, direction: [1, 2, 2]}
  w: {measure: angular_velocity, node: B}
)");
  machine.run(2.0, 0.02);
  EXPECT_NEAR(machine.measure("phi"), 24.0, 1e-9);
  EXPECT_NEAR(machine.measure("omega"), 12.0, 1e-6);
  EXPECT_NEAR(machine.rate("phi"), 12.0, 1e-6);
  EXPECT_NEAR(machine.measure("turned"), 24.0, 1e-9);
  EXPECT_TRUE(isNear(machine.vector("w"), Vector3d(4, 8, 8), 1e-6));
}

// The spring is wound up over two turns and pushes back with all of it.
TEST(Joints, WindUpASpringOverManyTurns) {
  MovingMachine machine(std::string(kRotor) + R"(
blocks: {angle: {type: ramp, slope: 12}}
joints: {h: {type: hinge, between: [ground, B], axis: [1, 2, 2], drive: angle, stiffness: 3, rest: 1}}
sensors: {phi: {measure: angle, joint: h}}
)");
  machine.run(1.5, 0.02);
  EXPECT_NEAR(machine.measure("phi"), 18.0, 1e-9);
  EXPECT_NEAR(machine.energy().potential, 0.5 * 3 * 17.0 * 17.0, 1e-6);
}

TEST(Joints, KeepTheThreadOfAScrew) {
  MovingMachine machine(std::string(kRotor) + R"(
blocks: {angle: {type: ramp, slope: -40}}
joints: {s: {type: screw, between: [ground, B], axis: [1, 2, 2], pitch: 6 mm, drive: angle}}
sensors:
  phi: {measure: angle, joint: s}
  travel: {measure: displacement, joint: s}
  moved: {measure: displacement, node: B, direction: [1, 2, 2]}
)");
  machine.run(1.0, 0.02);
  EXPECT_NEAR(machine.measure("phi"), -40.0, 1e-8);
  EXPECT_NEAR(machine.measure("travel"), -40.0 / (2 * kPi) * 0.006, 1e-10);
  EXPECT_NEAR(machine.measure("moved"), -40.0 / (2 * kPi) * 0.006, 1e-10);
}

// A nut that is pushed along a steep thread turns; energy is conserved.
TEST(Joints, TurnAScrewByItsWeight) {
  MovingMachine machine(R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {B: [0, 0, 1]}
bodies: {b: {node: B, mass: 2, inertia: [0.01, 0.01, 0.02]}}
joints: {s: {type: screw, between: [ground, B], axis: [0, 0, 1], pitch: 0.5}}
sensors: {z: {measure: displacement, joint: s}}
)");
  const double h = 0.5 / (2 * kPi);
  machine.run(1.0, 0.01);
  // (m + J/h²) z'' = −m g, exactly parabolic.
  const double acceleration = -2 * 9.81 / (2 + 0.02 / (h * h));
  EXPECT_NEAR(machine.measure("z"), 0.5 * acceleration, 1e-8);
}

TEST(Joints, DriveASlider) {
  MovingMachine machine(std::string(kRotor) + R"(
blocks: {way: {type: sine, amplitude: 0.2, frequency: 1, phase: 90 deg}}
joints: {s: {type: slider, between: [ground, B], axis: [0, 3, 4], drive: way}}
sensors:
  d: {measure: displacement, joint: s}
  p: {measure: displacement, node: B}
  a: {measure: acceleration, node: B, direction: [0, 3, 4]}
  f: {measure: force, joint: s, direction: [0, 3, 4]}
)");
  // The start is moved to where the drive wants it, with its acceleration.
  EXPECT_NEAR(machine.measure("d"), 0.2, 1e-12);
  EXPECT_TRUE(isNear(machine.vector("p"), Vector3d(0, 0.12, 0.16), 1e-12));
  EXPECT_NEAR(machine.measure("a"), -0.2 * 4 * kPi * kPi, 1e-9);
  EXPECT_NEAR(machine.measure("f"), -2 * 0.2 * 4 * kPi * kPi, 1e-9);
  machine.run(0.25, 0.005);
  EXPECT_NEAR(machine.measure("d"), 0.0, 1e-12);
}

TEST(Joints, KeepTheLengthOfARod) {
  MovingMachine machine(R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {B: {position: [0, 0, -1], free: [x, y, z]}}
bodies: {b: {node: B, mass: 2}}
joints: {r: {type: distance, between: [ground, B], length: 1}}
sensors:
  f: {measure: force, joint: r}
  l: {measure: distance, between: [ground, B]}
)");
  EXPECT_TRUE(isNear(machine.vector("f"), Vector3d(0, 0, 2 * 9.81), 1e-10));
  EXPECT_NEAR(machine.measure("l"), 1.0, 1e-12);
}

constexpr const char* kTwo = R"(flexloop: 1
nodes: {A: [0, 0, 0], B: [1, 0, 0], P: {position: [0, 1, 0], free: []}, Q: {position: [0, 2, 0], free: []}}
bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}, b: {node: B, mass: 1, inertia: [1, 1, 1]}}
)";

TEST(Joints, AreRefusedWhereTheyMakeNoSense) {
  const auto complaint = [](const char* joint) {
    return complaintOf(std::string(kTwo) + "joints: {j: {" + joint + "}}\n");
  };
  EXPECT_NE(complaint("type: weld, between: [P, Q]").find("joints.j: neither 'P' nor 'Q' can move"),
            std::string::npos);
  EXPECT_NE(complaint("type: hinge, between: [ground, P], axis: [0, 0, 1]").find("can move"),
            std::string::npos);
  EXPECT_NE(complaint("type: hinge, between: [A, A], axis: [0, 0, 1]").find("'A'"),
            std::string::npos);
  EXPECT_NE(complaint("type: hinge, between: [A, B], axis: [0, 0, 0]").find("axis"),
            std::string::npos);
  EXPECT_NE(complaint("type: universal, between: [A, B], axis: [1, 0, 0], second_axis: [1, 1, 0]")
                .find("not perpendicular"),
            std::string::npos);
  EXPECT_NE(complaint("type: hinge, between: [A, B], axis: [0, 0, 1], locked: true, drive: 1")
                .find("'locked' cannot be combined with 'drive'"),
            std::string::npos);
  EXPECT_NE(complaint("type: distance, between: [A, ground]").find("coincide"), std::string::npos);
  EXPECT_EQ(complaint("type: hinge, between: [A, B], axis: [0, 0, 1]"), "nothing");
}

TEST(Joints, NameTheirUnknownsAndEquations) {
  const BuiltSample built =
      buildSample(std::string(kTwo) +
                  "joints: {j: {type: hinge, between: [A, B], axis: [0, 0, 1], locked: true}}\n");
  std::vector<std::string> unknowns, equations;
  for (int u = 12; u < built.system.unknowns(); ++u) {
    unknowns.push_back(built.system.unknownName({u}));
    equations.push_back(built.system.equationName({u}));
  }
  EXPECT_EQ(unknowns,
            (std::vector<std::string>{"j reaction force x", "j reaction force y",
                                      "j reaction force z", "j reaction torque y",
                                      "j reaction torque x", "j reaction locking torque"}));
  EXPECT_EQ(equations,
            (std::vector<std::string>{"j: position x", "j: position y", "j: position z",
                                      "j: rotation y", "j: rotation x", "j: locked rotation"}));
}

}  // namespace
}  // namespace flexloop::test
