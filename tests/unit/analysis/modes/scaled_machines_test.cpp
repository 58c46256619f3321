// The same machine in other units of mass, length and time, and with signals in other units, has the same roots.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

// Factors of mass, length and time, and of the signals between sensor and controller.
struct Units {
  double mass = 1.0, length = 1.0, time = 1.0, signal = 1.0;

  std::string m(double x) const { return number(x * mass); }
  std::string l(double x) const { return number(x * length); }
  std::string t(double x) const { return number(x * time); }
  std::string inertia(double x) const { return number(x * mass * length * length); }
  std::string stiffness(double x) const { return number(x * mass / (time * time)); }
  std::string damping(double x) const { return number(x * mass / time); }
  std::string pressure(double x) const { return number(x * mass / length / (time * time)); }
  std::string density(double x) const { return number(x * mass / (length * length * length)); }

  static std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
  }
};

// Position control of the tip of a beam by a pid whose signals are multiplied by g before and divided by it behind.
std::string makeBeam(const Units& u, int elements, const std::string& controller) {
  return "materials: {alu: {E: " + u.pressure(7e10) + ", nu: 0.3, rho: " + u.density(2700) +
         "}}\n"
         "sections: {s: {type: rectangle, width: " +
         u.l(0.02) + ", height: " + u.l(0.005) +
         "}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: [" +
         u.l(1) +
         ", 0, 0]}\n"
         "bodies: {end: {node: B, mass: " +
         u.m(0.1) + ", inertia: [" + u.inertia(1e-5) + ", " + u.inertia(1e-5) + ", " +
         u.inertia(1e-5) +
         "]}}\n"
         "beams: {b: {from: A, to: B, elements: " +
         std::to_string(elements) +
         ", section: s, material: alu, y_axis: [0, 1, 0], damping: " + u.t(1e-4) +
         "}}\n"
         "sensors: {tip: {measure: displacement, node: B, direction: [0, 0, 1]}}\n"
         "blocks:\n"
         "  y: {type: gain, input: tip, gain: " +
         Units::number(u.signal) + "}\n" + controller +
         "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: c, gain: " +
         Units::number(1.0 / u.signal) + "}}\n";
}

std::string makePid(const Units& u, const std::string& input, const std::string& more) {
  return ", input: " + input + ", kp: " + u.stiffness(60) + ", kd: " + u.damping(0.4) +
         ", ki: " + Units::number(9.0 * u.mass / (u.time * u.time * u.time)) + more + "}\n";
}

std::string makeMachine(const std::string& kind, const Units& u) {
  const std::string pid = "  c: {type: pid" + makePid(u, "y", ", filter: " + u.t(2e-3));
  if (kind == "beam") return makeBeam(u, 6, pid);
  if (kind == "mesh") return makeBeam(u, 50, pid);
  return makeBeam(u, 6,
                  "  d: {type: transport_delay, input: y, delay: " + u.t(3e-3) +
                      "}\n  c: {type: pid" + makePid(u, "d", ", filter: " + u.t(2e-3)));
}

std::vector<Complex> findRoots(const std::string& machine, double time = 1.0) {
  const analysis::ModeResult result = modesOf(machine, {.count = 8});
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  std::vector<Complex> roots;
  for (const analysis::Mode& mode : result.modes) roots.push_back(mode.eigenvalue * time);
  return roots;
}

void expectSame(const std::vector<Complex>& roots, const std::vector<Complex>& truth,
                double relative) {
  EXPECT_EQ(roots.size(), truth.size());
  for (const Complex& root : truth) {
    double nearest = HUGE_VAL;
    for (const Complex& other : roots) nearest = std::min(nearest, std::abs(other - root));
    EXPECT_LE(nearest, relative * std::abs(root)) << root;
  }
}

class ScaledMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(ScaledMachine, HasTheSameRoots) {
  const std::vector<Complex> truth = findRoots(makeMachine(GetParam(), {}));
  ASSERT_GE(truth.size(), 7u);
  const std::vector<Units> all{{1e15},          {1e-15},          {1, 1e15},
                               {1, 1e-15},      {1, 1, 1e15},     {1, 1, 1e-15},
                               {1, 1, 1, 1e15}, {1, 1, 1, 1e-15}, {1e-9, 1e-6, 1e-3, 1e12}};
  for (const Units& units : all) {
    SCOPED_TRACE("mass " + Units::number(units.mass) + ", length " + Units::number(units.length) +
                 ", time " + Units::number(units.time) + ", signals " +
                 Units::number(units.signal));
    expectSame(findRoots(makeMachine(GetParam(), units), units.time), truth, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ScaledMachine, ::testing::Values("beam", "mesh", "delay"),
                         [](const auto& kind) { return kind.param; });

// A black box with the law of a pid block is that block, however fine the mesh and however slow its integral.
TEST(BoxOnAMesh, HasTheRootsOfThePidInIt) {
  const Units units;
  for (const int elements : {20, 200}) {
    SCOPED_TRACE(std::to_string(elements) + " elements");
    const auto beam = [&](const std::string& law) { return makeBeam(units, elements, law); };
    const std::vector<Complex> truth =
        findRoots(beam("  c: {type: pid, input: y, kp: 60, ki: 0.5}\n"));
    expectSame(findRoots(beam("  c: {type: library, path: ./boxes/pi.so, inputs: [y], outputs: "
                              "[force], config: \"-60 -0.5\"}\n")),
               truth, 1e-9);
  }
}

}  // namespace
}  // namespace flexloop::test
