// One controller in five forms: x''' + 10 x'' + 16 x' + 80 x = 0 in closed loop, by modes. Runs are in
// models/pid_foreign/expected.yaml.
#include <complex>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"
#include "support/places.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

std::string machine(const std::string& controller) {
  return R"(
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {s: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12, damping: 8}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
actuators: {f: {type: force, node: cart, direction: [1, 0, 0], input: u}}
blocks:
  e: {type: sum, inputs: [1, -x]}
  u: )" + controller +
         "\n";
}
std::string inModel(const std::string& file) {
  return inProject("models/" + file);
}
std::string fmu(const std::string& rest) {
  return "{type: fmu, path: " + inModel("pid_foreign/foreign_pid.fmu") +
         ", inputs: {x: x, v: x.rate, r: 1}, parameters: {kp: 4, ki: 80, kd: 2}, " + rest + "}";
}
std::string library(const std::string& rest) {
  return "{type: library, path: " + inModel("pid_four_ways/libpid.so") +
         ", config: \"4 80 2\", inputs: [x, x.rate, 1], outputs: [u], " + rest + "}";
}
std::string discon(const std::string& rest) {
  return "{type: discon, path: " + inModel("pid_foreign/libturbine_pid.so") +
         ", parameters_file: " + inModel("pid_foreign/turbine_pid.in") +
         ", inputs: {wind_speed: e, generator_speed: x.rate}, outputs: [torque], " + rest + "}";
}

// The roots, by Newton's method from their first digits.
std::vector<Complex> exactRoots() {
  std::vector<Complex> roots{{-0.397, 2.921}, {-9.206, 0.0}};
  for (Complex& s : roots) {
    for (int k = 0; k < 20; ++k) {
      s -= (((s + 10.0) * s + 16.0) * s + 80.0) / ((3.0 * s + 20.0) * s + 16.0);
    }
  }
  return roots;
}

double errorOf(const std::string& controller) {
  const analysis::ModeResult modes = modesOf(machine(controller));
  double worst = 0.0;
  for (const Complex& root : exactRoots()) {
    worst = std::max(worst, distanceTo(modes, root) / std::abs(root));
  }
  return worst;
}

// States of the machine: the same equations.
TEST(ForeignModes, BlocksAndModelExchangeHaveTheExactRoots) {
  EXPECT_LT(errorOf("{type: pid, input: x, reference: 1, kp: 4, ki: 80, kd: 2}"), 1e-9);
  EXPECT_LT(errorOf(fmu("kind: me")), 1e-9);
}

// What is held is late by a half of the period or more: order 1.
TEST(ForeignModes, SampledFormsComeToThemWithTheirPeriod) {
  for (const auto& form : {library, fmu}) {
    const double coarse = errorOf(form("sample: 2 ms")), fine = errorOf(form("sample: 1 ms"));
    EXPECT_NEAR(coarse / fine, 2.0, 0.05);
    EXPECT_LT(fine, 5e-3);
  }
}

// Single precision leaves few digits to a perturbation: a hundredth is what one may expect at this period.
TEST(ForeignModes, AWindTurbineControllerTakesPart) {
  EXPECT_LT(errorOf(discon("sample: 1 ms")), 1e-2);
}

}  // namespace
}  // namespace flexloop::test
