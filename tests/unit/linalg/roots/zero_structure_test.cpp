// Roots at zero of machines that float, spin freely or integrate idly, in any units, and slow roots beside them.
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;

  std::string m(double x) const { return number(x * mass); }
  std::string l(double x) const { return number(x * length); }
  std::string t(double x) const { return number(x * time); }
  std::string rate(double x) const { return number(x / time); }
  std::string inertia(double x) const { return number(x * mass * length * length); }
  std::string stiffness(double x) const { return number(x * mass / (time * time)); }
  std::string damping(double x) const { return number(x * mass / time); }
  std::string pressure(double x) const { return number(x * mass / length / (time * time)); }
  std::string density(double x) const { return number(x * mass / (length * length * length)); }
};

const std::vector<Units> kUnits{{},         {1e15},       {1e-15},      {1, 1e15},
                                {1, 1e-15}, {1, 1, 1e15}, {1, 1, 1e-15}};

std::string makeBeam(const Units& u, int elements) {
  const std::string half = std::to_string(elements / 2);
  return "materials: {alu: {E: " + u.pressure(7e10) + ", nu: 0.3, rho: " + u.density(2700) +
         "}}\n"
         "sections: {s: {type: rectangle, width: " +
         u.l(0.02) + ", height: " + u.l(0.005) + "}}\nnodes: {A: [0, 0, 0], M: [" + u.l(0.6) +
         ", 0, 0], B: [" + u.l(1) + ", 0, 0]}\nbeams:\n  a: {from: A, to: M, elements: " + half +
         ", section: s, material: alu, y_axis: [0, 1, 0]}\n  b: {from: M, to: B, elements: " +
         half + ", section: s, material: alu, y_axis: [0, 1, 0]}\n";
}

std::string makeBodies(const Units& u, const std::string& more) {
  const auto body = [&](const std::string& node, double mass) {
    return "{node: " + node + ", mass: " + u.m(mass) + ", inertia: [" + u.inertia(0.01) + ", " +
           u.inertia(0.02) + ", " + u.inertia(0.025) + "]}";
  };
  return "nodes: {A: [0, 0, 0], B: [" + u.l(1) + ", 0, 0]}\nbodies: {a: " + body("A", 2) +
         ", b: " + body("B", 3) + "}\n" + more;
}

// Two carts with ω² = 800 ∓ √(200² + 600²), and what integrates the position of the first.
std::string makeCarts(const Units& u, const std::string& blocks) {
  return "nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [" + u.l(1) +
         ", 0, 0], free: [x]}}\n"
         "bodies: {a: {node: a, mass: " +
         u.m(2) + "}, b: {node: b, mass: " + u.m(2) +
         "}}\n"
         "springs:\n"
         "  s: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: " +
         u.stiffness(800) +
         "}\n"
         "  t: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: " +
         u.stiffness(1200) +
         "}\n"
         "sensors: {p: {measure: displacement, node: a, direction: [1, 0, 0]}}\n" +
         blocks;
}

struct Roots {
  int zeros = 0, idle = 0, others = 0, growing = 0;
  double slowest = HUGE_VAL;  // by the unit of time
};

Roots count(const std::string& text, const Units& u) {
  const ModeResult result = modesOf(text, {.count = 14});
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  Roots roots;
  for (const Mode& mode : result.modes) {
    const bool isZero = mode.eigenvalue == 0.0;
    ++(isZero ? roots.zeros : roots.others);
    if (!isZero) roots.slowest = std::min(roots.slowest, std::abs(mode.eigenvalue) * u.time);
  }
  roots.idle = roots.zeros - result.rigidMotions;
  roots.growing = result.verdict.growing;
  return roots;
}

void expectZeros(const Roots& roots, int motions, int idle, double slowest) {
  EXPECT_EQ(roots.zeros, motions + idle);
  EXPECT_EQ(roots.idle, idle);
  EXPECT_EQ(roots.growing, 0);
  if (slowest > 0.0) {
    EXPECT_NEAR(roots.slowest, slowest, 1e-6 * slowest);
  }
}

std::string trace(const Units& u) {
  return "mass " + number(u.mass) + ", length " + number(u.length) + ", time " + number(u.time);
}

// Small and large; of the large one rounding left K an inverse, and its free motions grew.
TEST(ZeroStructure, AFloatingBeamHasSixFreeMotions) {
  for (const int elements : {6, 60}) {
    const double slowest = count(makeBeam({}, elements), {}).slowest;
    EXPECT_NEAR(slowest, 164.0, 1.0);
    for (const Units& u : kUnits) {
      SCOPED_TRACE(std::to_string(elements) + " elements, " + trace(u));
      expectZeros(count(makeBeam(u, elements), u), 6, 0, slowest);
    }
  }
}

TEST(ZeroStructure, BodiesHaveTheMotionsThatNothingHolds) {
  for (const Units& u : kUnits) {
    SCOPED_TRACE(trace(u));
    expectZeros(count(makeBodies(u, ""), u), 12, 0, 0.0);
    const std::string spring =
        "springs: {k: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: " +
        u.stiffness(1000) + "}}\n";
    // Two masses of 2 and 3 kg on one spring.
    expectZeros(count(makeBodies(u, spring), u), 11, 0, std::sqrt(1000.0 / 1.2));
    const std::string hinge = "joints: {h: {type: hinge, between: [A, B], axis: [0, 0, 1]}}\n";
    expectZeros(count(makeBodies(u, hinge), u), 7, 0, 0.0);
  }
}

TEST(ZeroStructure, EveryIdleIntegratorIsListed) {
  const double slowest = std::sqrt(800.0 - std::sqrt(200.0 * 200.0 + 600.0 * 600.0));
  for (const Units& u : kUnits) {
    for (const int many : {1, 3, 50}) {
      SCOPED_TRACE(std::to_string(many) + " integrators, " + trace(u));
      std::string blocks = "blocks:\n";
      for (int i = 0; i < many; ++i) {
        blocks += "  i" + std::to_string(i) +
                  ": {type: integrator, input: p, gain: " + u.rate(1.0 + i) + "}\n";
      }
      expectZeros(count(makeCarts(u, blocks), u), 0, many, slowest);
      // A lag of 1e9 s beside them is slow, not zero.
      blocks += "  w: {type: transfer_function, input: p, numerator: [1], denominator: [" +
                u.t(1e9) + ", 1]}\n";
      expectZeros(count(makeCarts(u, blocks), u), 0, many, 1e-9);
    }
  }
}

// Rounding moves the roots of a chain of three to the cube root of its size, where they grew.
TEST(ZeroStructure, AChainOfIntegratorsIsOneMotionAtZero) {
  const double slowest = std::sqrt(800.0 - std::sqrt(200.0 * 200.0 + 600.0 * 600.0));
  for (const Units& u : kUnits) {
    for (const int length : {2, 3, 4}) {
      SCOPED_TRACE(std::to_string(length) + " integrators, " + trace(u));
      std::string blocks = "blocks:\n", input = "p";
      for (int i = 0; i < length; ++i) {
        const std::string name = "i" + std::to_string(i);
        blocks += "  " + name + ": {type: integrator, input: " + input +
                  ", gain: " + u.rate(1.0 + i) + "}\n";
        input = name;
      }
      expectZeros(count(makeCarts(u, blocks), u), 0, 1, slowest);
    }
  }
}

// A free cart of 4 kg with a damper of 2e-9 N s/m: s = 0 and s = −5e-10 1/s.
TEST(ZeroStructure, ASlowRootBesideZeroIsNotZero) {
  for (const Units& u : kUnits) {
    SCOPED_TRACE(trace(u));
    const std::string text =
        "nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [" + u.l(1) +
        ", 0, 0], free: [x]}}\n"
        "bodies: {a: {node: a, mass: " +
        u.m(2) + "}, b: {node: b, mass: " + u.m(2) +
        "}}\n"
        "springs:\n"
        "  d: {type: damper, between: [ground, a], direction: [1, 0, 0], damping: " +
        u.damping(2e-9) +
        "}\n"
        "  t: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: " +
        u.stiffness(1200) + "}\n";
    expectZeros(count(text, u), 1, 0, 5e-10);
  }
}

}  // namespace
}  // namespace flexloop::test
