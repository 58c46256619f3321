// Sampled controllers that measure and push what cannot move: within a rigid group, and along an axis of rotation. All that is left
// of their responses is rounding, which must not stop the modes of the others.
#include <cmath>
#include <complex>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::ModeResult;
using Complex = std::complex<double>;

// Two welded bodies on an oblique hinge, and a cart with a sampled controller of its own.
std::string makeMachine(const std::string& sensor, const std::string& actuator) {
  return "nodes:\n"
         "  a: [0, 0, 0]\n"
         "  b: [0.5, 0.2, 0]\n"
         "  c: {position: [2, 0, 0], free: [x]}\n"
         "bodies:\n"
         "  a: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
         "  b: {node: b, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
         "  c: {node: c, mass: 2}\n"
         "joints:\n"
         "  w: {type: weld, between: [a, b]}\n"
         "  h: {type: hinge, between: [ground, a], axis: [0.3, 0.7, 1], at: [-0.3, 0.1, 0.4]}\n"
         "springs:\n"
         "  s: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 50, damping: "
         "0.3}\n"
         "  t: {type: torsional, between: [ground, a], axis: [0.3, 0.7, 1], stiffness: 30, "
         "damping: "
         "0.3}\n"
         "sensors:\n"
         "  x: {measure: displacement, node: c, direction: [1, 0, 0]}\n"
         "  d: {" +
         sensor +
         "}\n"
         "blocks:\n"
         "  p: {type: discrete_pid, input: x, reference: 0, kp: 30, sample: 50 ms}\n"
         "  q: {type: discrete_pid, input: d, reference: 0, kp: 10, kd: 1, sample: 50 ms}\n"
         "actuators:\n"
         "  f: {type: force, node: c, direction: [1, 0, 0], input: p}\n"
         "  g: {type: force, " +
         actuator + ", input: q}\n";
}

// Of the bodies about the hinge, by hand: J s² + 0.3 s + 30 = 0 with J = Σ 0.1 + m |n × r|². Of the cart, the hold of 50 ms on
// 2 x'' + 0.3 x' + 50 x = −30 x_k: numpy.log(numpy.linalg.eigvals(F − 30 G [1, 0]))/0.05 with F, G from scipy.linalg.expm.
void expectRoots(const std::string& machine) {
  const ModeResult result = modesOf(machine);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  const Eigen::Vector3d n = Eigen::Vector3d(0.3, 0.7, 1.0).normalized(), p(-0.3, 0.1, 0.4);
  const double J = 0.2 + 2.0 * n.cross(-p).squaredNorm() +
                   n.cross(Eigen::Vector3d(0.5, 0.2, 0.0) - p).squaredNorm();
  const double decay = -0.15 / J;
  ASSERT_EQ(result.modes.size(), 2u);
  EXPECT_LT(distanceTo(result, {decay, std::sqrt(30.0 / J - decay * decay)}), 1e-9);
  EXPECT_LT(distanceTo(result, {0.11026536116, 6.30405231332}), 1e-9);
}

TEST(SampledRigidGroup, MayBeMeasuredAndPushedFromWithin) {
  expectRoots(makeMachine("measure: distance, between: [a, b]", "between: [a, b]"));
}

TEST(SampledRigidGroup, MayBeMeasuredAndPushedAlongItsAxis) {
  expectRoots(makeMachine("measure: displacement, node: b, direction: [0.3, 0.7, 1]",
                          "node: b, direction: [0.3, 0.7, 1]"));
}

}  // namespace
}  // namespace flexloop::test
