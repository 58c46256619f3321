// Spheres on boxes and cylinders, and pins in bores: forces by hand, and motions in closed form.
#include <array>
#include <cmath>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/moving_machine.hpp"

namespace flexloop::test {
namespace {

using base::formatText;
using Eigen::Vector3d;

// The force on a ball of the radius 0.1 with the centre x by a solid that is turned by 30 degrees about z and stands at (1, 2, 3); stiffness 1000, linear.
Vector3d forceOn(const std::string& solid, const Vector3d& inSolid) {
  const Eigen::Matrix3d R = Eigen::AngleAxisd(M_PI / 6.0, Vector3d::UnitZ()).toRotationMatrix();
  const Vector3d x = Vector3d(1, 2, 3) + R * inSolid;
  MovingMachine machine(formatText(R"(flexloop: 1
nodes:
  s: {position: [1, 2, 3], rotation: {axis: [0, 0, 1], angle: 30 deg}}
  b: {position: [%.17g, %.17g, %.17g]}
bodies: {s: {node: s, mass: 5, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}
contacts: {c: {%s, sphere: {node: b, radius: 0.1}, stiffness: 1000, exponent: 1}}
sensors: {f: {measure: force, contact: c}}
)",
                                   x[0], x[1], x[2], solid.c_str()));
  return R.transpose() * machine.vector("f");
}

void expectForce(const std::string& solid, const Vector3d& at, const Vector3d& force) {
  const Vector3d f = forceOn(solid, at);
  EXPECT_LT((f - force).norm(), 1e-9) << at.transpose() << ": " << f.transpose();
}

// Faces, an edge and a corner, on both sides; the nearest point is a corner of the box in the last cases.
TEST(SphereOnBox, IsPushedFromTheNearestPoint) {
  const std::string box = "type: sphere_box, box: {node: s, size: [0.6, 0.4, 0.2]}";
  expectForce(box, {0.38, 0.1, 0.02}, {20, 0, 0});
  expectForce(box, {-0.1, -0.27, 0.02}, {0, -30, 0});
  expectForce(box, {0.1, 0.1, 0.19}, {0, 0, 10});
  expectForce(box, {0.36, -0.26, 0},
              1000 * (0.1 - 0.06 * std::sqrt(2.0)) * Vector3d(1, -1, 0).normalized());
  expectForce(box, {-0.33, 0.24, 0.14},
              1000 * (0.1 - std::sqrt(0.0009 + 2 * 0.0016)) * Vector3d(-3, 4, 4).normalized());
  expectForce(box, {0.38, 0.28, 0}, Vector3d::Zero());  // beside the edge
}

TEST(SphereOnCylinder, IsPushedFromTheNearestPoint) {
  const std::string cylinder =
      "type: sphere_cylinder, cylinder: {node: s, radius: 0.3, length: 0.4, axis: [0, 0, 1]}";
  expectForce(cylinder, {0.3, 0.24, 0.1},
              1000 * (0.4 - std::hypot(0.3, 0.24)) * Vector3d(0.3, 0.24, 0).normalized());
  expectForce(cylinder, {0.1, -0.1, -0.28}, {0, 0, -20});
  expectForce(cylinder, {-0.34, 0, 0.23}, 1000 * 0.05 * Vector3d(-0.8, 0, 0.6));
  expectForce(cylinder, {0.38, 0, 0.28}, Vector3d::Zero());
  expectForce(cylinder, {0, 0, 0.29}, {0, 0, 10});  // on the axis
}

// A ball rolls on a cylinder without slip from near the top: (34.6) with R + ρ = 0.5. 10/7 g (1 − cos θ) = R θ'^2.
TEST(SphereOnCylinder, RollsDownItsSide) {
  const double theta = 0.05;
  const ModelRun run = runModel(formatText(R"(
gravity: [0, 0, -9.81]
nodes:
  rail: {position: [0, 0, 0], free: []}
  ball: {position: [%.17g, 0, %.17g]}
bodies: {ball: {node: ball, mass: 2, inertia: [8e-3, 8e-3, 8e-3]}}
contacts: {c: {type: sphere_cylinder, cylinder: {node: rail, radius: 0.4, length: 2, axis: [0, 1, 0]}, sphere: {node: ball, radius: 0.1}, restitution: 0, friction: 2}}
sensors: {x: {measure: position, node: ball}, v: {measure: velocity, node: ball}, N: {measure: normal_force, contact: c}}
)",
                                           0.5 * std::sin(theta), 0.5 * std::cos(theta)),
                                "x, v, N", "end: 0.6, step: 1 ms");
  for (const double t : {0.2, 0.4, 0.6}) {
    const double x = run.at(t, "x.x"), z = run.at(t, "x.z");
    const double square = std::pow(run.at(t, "v.x"), 2) + std::pow(run.at(t, "v.z"), 2);
    EXPECT_NEAR(std::hypot(x, z), 0.5, 1e-9) << t;
    const double fallen = 0.5 * std::cos(theta) - z;
    EXPECT_NEAR(square, 10.0 / 7.0 * 9.81 * fallen, 2e-5) << t;
    EXPECT_NEAR(run.at(t, "N"), 2 * (9.81 * z / 0.5 - square / 0.5), 1e-3) << t;
  }
  EXPECT_GT(run.last("x.x"), 0.1);
}

// A disc rolls in a bore without slip: small oscillations with ω² = 2/3 g/(R − ρ), and energy at large ones.
TEST(PinInBore, RollsToAndFro) {
  const auto run = [](double angle, const char* time) {
    const double a = 0.3;
    return runModel(formatText(R"(
gravity: [0, 0, -9.81]
nodes:
  house: {position: [0, 0, 0], free: []}
  pin: {position: [%.17g, 0, %.17g], free: [x, z, ry]}
bodies: {pin: {node: pin, mass: 2, inertia: [0.01, 0.01, 0.01]}}
contacts: {c: {type: pin_in_bore, bore: {node: house, radius: 0.4, axis: [0, 1, 0]}, pin: {node: pin, radius: 0.1}, restitution: 0, friction: 3}}
sensors: {x: {measure: position, node: pin}, v: {measure: velocity, node: pin}, w: {measure: angular_velocity, node: pin}}
)",
                               a * std::sin(angle), -a * std::cos(angle)),
                    "x, v, w", time);
  };
  const double w = std::sqrt(2.0 / 3.0 * 9.81 / 0.3);
  const ModelRun small = run(1e-3, "end: 2, step: 2 ms");
  for (const double t : {0.4, 1.0, 1.7, 2.0}) {
    EXPECT_NEAR(small.at(t, "x.x"), 0.3e-3 * std::cos(w * t), 2e-4 * 0.3e-3) << t;
  }
  const ModelRun large = run(1.2, "end: 1, step: 1 ms");
  for (const double t : {0.2, 0.5, 0.8, 1.0}) {
    const double square = std::pow(large.at(t, "v.x"), 2) + std::pow(large.at(t, "v.z"), 2);
    const double fallen = -0.3 * std::cos(1.2) - large.at(t, "x.z");
    EXPECT_NEAR(square, 4.0 / 3.0 * 9.81 * fallen, 5e-5) << t;
    EXPECT_NEAR(std::hypot(large.at(t, "x.x"), large.at(t, "x.z")), 0.3, 1e-9) << t;
  }
}

// A long pin rests on both ends of its bore, in other units: N = ½ W at each, δ = (W/2k)^(2/3).
TEST(PinInBore, CarriesALongPinAtBothEnds) {
  for (const auto& [mass, length, time] :
       {std::array{1.0, 1.0, 1.0}, {1e-9, 1e6, 1e3}, {1e9, 1e-6, 1e-3}}) {
    const double g = 9.81 * length / time / time,
                 k = 1e6 * mass / (time * time * std::sqrt(length));
    const ModelRun run = runModel(
        formatText(R"(
gravity: [0, 0, %.17g]
nodes: {house: {position: [0, 0, 0], free: []}, pin: {position: [0, 0, %.17g]}}
bodies: {pin: {node: pin, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}}
springs: {keep: {type: bushing, between: [house, pin], stiffness: [0, %.17g, 0, %.17g, %.17g, %.17g]}}
contacts: {c: {type: pin_in_bore, bore: {node: house, radius: %.17g, axis: [0, 1, 0]}, pin: {node: pin, radius: %.17g, length: %.17g}, stiffness: %.17g}}
sensors: {z: {measure: position, node: pin, direction: [0, 0, 1]}, N: {measure: normal_force, contact: c}}
)",
                   -g, -1e-3 * length, 2 * mass, 0.01 * mass * length * length,
                   0.01 * mass * length * length, 0.01 * mass * length * length, mass / time / time,
                   mass * length * length / time / time, mass * length * length / time / time,
                   mass * length * length / time / time, 0.101 * length, 0.1 * length, 0.2 * length,
                   k),
        "z, N", formatText("end: %.17g, step: %.17g, start: equilibrium", time, 0.1 * time));
    const double depth = std::pow(9.81 / 1e6, 2.0 / 3.0);
    EXPECT_NEAR(run.last("z") / length, -1e-3 - depth, 1e-9);
    EXPECT_NEAR(run.last("N") / (mass * length / time / time), 2 * 9.81, 1e-6);
  }
}

TEST(SolidContacts, MistakesAreNamed) {
  const auto wrong = [](const char* contact) {
    return mistakesOf(std::string("nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                                  "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: "
                                  "b, mass: 1, inertia: [1, 1, 1]}}\n"
                                  "contacts: {c: {stiffness: 1000, ") +
                      contact + "}}\n");
  };
  EXPECT_EQ(
      wrong("type: sphere_box, box: {node: a, size: [1, 1, 1]}, sphere: {node: b, radius: 0.1}"),
      "");
  EXPECT_TRUE(says(
      wrong("type: sphere_box, box: {node: a, size: [1, 0, 1]}, sphere: {node: b, radius: 0.1}"),
      "an edge of the box has no length"));
  EXPECT_TRUE(says(
      wrong("type: sphere_box, box: {node: a, size: [1, 1, 1]}, sphere: {node: a, radius: 0.1}"),
      "both shapes belong to the node 'a'"));
  EXPECT_TRUE(says(
      wrong("type: sphere_box, box: {node: a, size: [3, 3, 3]}, sphere: {node: b, radius: 0.1}"),
      "at the start, by more than the size of one of them"));
  EXPECT_TRUE(says(wrong("type: sphere_cylinder, cylinder: {node: a, radius: 1, length: 0, axis: "
                         "[1, 0, 0]}, sphere: {node: b, radius: 1}"),
                   "must be positive"));
  EXPECT_TRUE(says(wrong("type: pin_in_bore, bore: {node: a, radius: 0.1, axis: [0, 1, 0]}, pin: "
                         "{node: b, radius: 0.1}"),
                   "the pin does not fit into the bore"));
  EXPECT_TRUE(says(wrong("type: pin_in_bore, bore: {node: a, radius: 0.2, axis: [0, 0, 0]}, pin: "
                         "{node: b, radius: 0.1}"),
                   "axis"));
}

}  // namespace
}  // namespace flexloop::test
