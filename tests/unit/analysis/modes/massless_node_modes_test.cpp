// Nodes without mass that are welded to bodies and have axes of their own, as those of instances that are turned. All
// stiffness or damping of a machine may be theirs, and what rounding makes of it in other directions must not set its units.
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/linear_machine.hpp"
#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

constexpr double kAngles[] = {0.3, 37.0 / 57.3, 100.0 / 57.3};

std::string write(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

void expectRoots(const std::string& text, const std::vector<Complex>& roots) {
  const analysis::ModeResult result = modesOf(text);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  for (const Complex root : roots) {
    EXPECT_LT(distanceTo(result, root), 1e-9 * std::abs(root)) << root << "\n" << text;
  }
  for (const analysis::Mode& mode : result.modes) EXPECT_LT(mode.residual, 1e-12) << text;
}

// A body on a bushing with the axes of a node of its own, which damps one direction only.
TEST(MasslessNodeModes, DampingAlongOneTurnedAxis) {
  for (const double angle : kAngles) {
    const std::string c = write(std::cos(angle)), s = write(std::sin(angle));
    expectRoots(
        "nodes: {b: [0, 0, 0], w: {position: [0, 0, 0], rotation: {axis: [0, 0, 1], angle: " +
            write(angle) +
            "}}}\n"
            "bodies: {b: {node: b, mass: 20, inertia: [0.5, 0.5, 0.5]}}\n"
            "joints: {j: {type: weld, between: [b, w]}}\n"
            "springs:\n"
            "  s: {type: bushing, between: [ground, w], axes: {x: [" +
            c + ", " + s + ", 0], y: [-" + s + ", " + c +
            ", 0]},\n"
            "      stiffness: [1e4, 2e4, 3e4, 10, 20, 30], damping: [5, 0, 0, 0, 0, 0]}\n",
        {{-0.125, std::sqrt(500.0 - 0.125 * 0.125)},
         {0.0, std::sqrt(1000.0)},
         {0.0, std::sqrt(1500.0)},
         {0.0, std::sqrt(20.0)},
         {0.0, std::sqrt(40.0)},
         {0.0, std::sqrt(60.0)}});
  }
}

std::string makeBodies(double angle) {
  return "nodes: {b: [0, 0, 0], w: {position: [0.4, 0.3, 0.2], rotation: {axis: [-0.67, -0.118, "
         "0.117], angle: " +
         write(angle) +
         "}}}\n"
         "bodies: {b: {node: b, mass: 0.9, inertia: [2, 2, 2]}}\n"
         "joints: {j: {type: weld, between: [w, b]}}\n";
}

// A body that floats, but for a spring about one axis at that node: five free motions and √(k/J).
TEST(MasslessNodeModes, OneStiffnessOfAFloatingBody) {
  for (const double angle : kAngles) {
    const std::string text = makeBodies(angle) +
                             "springs: {s: {type: torsional, between: [ground, w], axis: [-0.4, "
                             "-0.74, 0.53], stiffness: 6}}\n";
    expectRoots(text, {{0.0, std::sqrt(3.0)}});
    const analysis::ModeResult result = modesOf(text);
    EXPECT_EQ(result.modes.size(), 6U);
    for (const analysis::Mode& mode : result.modes) EXPECT_LT(mode.eigenvalue.real(), 1e-14);
  }
}

// A torque within the weld moves nothing, and its forces are round-off; about z, J s² + k + 3/(0.2 s + 1).
TEST(MasslessNodeModes, TorqueWithinAWeldedBody) {
  for (const double angle : kAngles) {
    const std::string text =
        makeBodies(angle) +
        "springs: {s: {type: bushing, between: [ground, b], stiffness: [100, 200, 300, 10, 20, "
        "30]}}\n"
        "sensors: {r: {measure: rotation, node: w, direction: [0, 0, 1]}}\n"
        "blocks: {u: {type: transfer_function, input: r, numerator: [-3], denominator: [0.2, 1]}}\n"
        "actuators:\n"
        "  m: {type: torque, between: [w, b], axis: [0.3, 0.2, 0.9], input: u}\n"
        "  n: {type: torque, node: b, direction: [0, 0, 1], input: u}\n";
    expectRoots(text, {{0.0, std::sqrt(5.0)},
                       {0.0, std::sqrt(10.0)},
                       {0.0, std::sqrt(100.0 / 0.9)},
                       {0.0, std::sqrt(200.0 / 0.9)},
                       {0.0, std::sqrt(300.0 / 0.9)}});
    const Machine machine(text, {{"n"}, {"r"}, ""});
    const Complex s(0.0, 2.0);
    const Complex expected = 1.0 / (2.0 * s * s + 30.0 + 3.0 / (0.2 * s + 1.0));
    EXPECT_LT(std::abs(machine.response(s) - expected), 1e-12 * std::abs(expected)) << text;
  }
}

}  // namespace
}  // namespace flexloop::test
