// Motions that nothing holds, beside controllers and springs, however the machine lies in space. Its reactions are round-off,
// and what they add to the stiffness must not swing or grow.
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "math/so3.hpp"
#include "unit/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;
using math::Mat3;
using math::Vec3;

std::string write(const Vec3<double>& v) {
  char text[120];
  std::snprintf(text, sizeof text, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
  return text;
}

Vec3<double> makeAxis(int number) {
  const double a = 0.7 + 1.3 * number, b = 0.4 + 0.9 * number;
  return {std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b)};
}

// By the rates of two hinges, free and with kp, kd: M11 M22 − M12² of their masses gives
//     (M11 M22 − M12²) s² + M11 (kp + kd s) = 0,
// and a free motion.
Complex calcRootOfArm(const Vec3<double>& first, const Vec3<double>& second, double kp, double kd) {
  struct Body {
    double mass;
    Vec3<double> inertia, place;
  };
  const Body bodies[] = {{1.0, {0.1, 0.2, 0.25}, {0.5, 0.0, 0.0}},
                         {2.0, {0.1, 0.2, 0.15}, {1.5, 0.0, 0.0}}};
  const Vec3<double> hinge(1.0, 0.0, 0.0);
  double m11 = 0.0, m12 = 0.0, m22 = 0.0;
  for (int i = 0; i < 2; ++i) {
    const Body& b = bodies[i];
    const Vec3<double> turn1 = first, move1 = first.cross(b.place);
    const Vec3<double> turn2 = i * second, move2 = i * second.cross(b.place - hinge);
    const auto product = [&](const Vec3<double>& t, const Vec3<double>& m, const Vec3<double>& u,
                             const Vec3<double>& n) {
      return b.mass * m.dot(n) + t.dot(b.inertia.cwiseProduct(u));
    };
    m11 += product(turn1, move1, turn1, move1);
    m12 += product(turn1, move1, turn2, move2);
    m22 += product(turn2, move2, turn2, move2);
  }
  const double m = (m11 * m22 - m12 * m12) / m11;
  const Complex root = std::sqrt(Complex(kd * kd - 4.0 * m * kp, 0.0));
  return (-kd + root) / (2.0 * m);
}

TEST(FreeMotionModes, AnArmOnAFreeHingeHasTheRootOfItsController) {
  for (int k = 0; k < 12; ++k) {
    const Vec3<double> first = makeAxis(k), second = makeAxis(k + 17);
    const ModeResult result = modesOf(
        "nodes: {a: [0.5, 0, 0], b: [1.5, 0, 0]}\n"
        "bodies:\n"
        "  a: {node: a, mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
        "  b: {node: b, mass: 2, inertia: [0.1, 0.2, 0.15]}\n"
        "joints:\n"
        "  h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: " +
            write(first) +
            "}\n"
            "  r: {type: hinge, between: [a, b], at: [1, 0, 0], axis: " +
            write(second) +
            "}\n"
            "sensors: {q: {measure: angle, joint: r}}\n"
            "blocks: {u: {type: pid, input: q, kp: 70, kd: 4}}\n"
            "actuators: {m: {type: torque, joint: r, input: u}}\n",
        {.count = 20});
    ASSERT_TRUE(result.ok) << result.trouble;
    const Complex root = calcRootOfArm(first, second, 70.0, 4.0);
    EXPECT_LT(distanceTo(result, root), 1e-9 * std::abs(root)) << k;
    EXPECT_EQ(result.rigidMotions, 1) << k;
    EXPECT_EQ(distanceTo(result, 0.0), 0.0) << k;
    EXPECT_TRUE(result.verdict.isStable()) << k;
  }
}

// A rotor that idles in a housing on springs, at rest and turning; symmetric, so that its modes do not depend on time.
TEST(FreeMotionModes, AnIdleRotorInAHousingDoesNotGrow) {
  for (const double speed : {0.0, 10.0, 5000.0}) {
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> axis = makeAxis(k);
      const Vec3<double> across = axis.cross(Vec3<double>(0.3, -0.5, 0.8)).normalized();
      const std::string axes = "axes: {x: " + write(axis) + ", y: " + write(across) + "}";
      Mat3<double> R;
      R << axis, across, axis.cross(across);
      const Vec3<double> moments(0.03, 0.04, 0.04);
      const Mat3<double> J = R * moments.asDiagonal() * R.transpose();
      char inertia[200];
      std::snprintf(inertia, sizeof inertia, "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", J(0, 0),
                    J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2));
      const ModeResult result =
          modesOf("nodes: {d: {position: [0, 0, 0], angular_velocity: " + write(speed * axis) +
                      "}, h: [0, 0, 0]}\n"
                      "bodies:\n"
                      "  d: {node: d, mass: 3, inertia: " +
                      inertia +
                      "}\n"
                      "  h: {node: h, mass: 0.6, inertia: [0.02, 0.02, 0.02]}\n"
                      "joints: {s: {type: hinge, between: [h, d], axis: " +
                      write(axis) +
                      "}}\n"
                      "springs: {b: {type: bushing, between: [ground, h], " +
                      axes +
                      ", stiffness: [2.6e4, 2.6e4, 2.6e4, 100, 580, 580], "
                      "damping: [2, 2, 2, 0.01, 0.01, 0.01]}}\n",
                  {.count = 20});
      ASSERT_TRUE(result.ok) << result.trouble;
      EXPECT_EQ(result.rigidMotions, 1) << speed << ' ' << k;
      EXPECT_TRUE(result.verdict.isStable()) << speed << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
