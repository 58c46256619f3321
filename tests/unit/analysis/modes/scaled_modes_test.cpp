// Modes of machines of any size and speed, with signals of any size, against closed forms.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/machine_modes.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

void expectRoots(const ModeResult& result, const std::vector<Complex>& roots, double tolerance) {
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.modes.size(), roots.size());
  for (const Complex& root : roots) {
    EXPECT_LT(distanceTo(result, root), tolerance * std::abs(root)) << root;
  }
}

// A hinged body with a PID, of mass `m`, length `l` and time `t`: J s³ + (c + kd) s² + (k + kp) s + ki = 0 with
// mpmath: polyroots([0.01, 0.42, 35, 30]) in units of 1/t.
TEST(ScaledModes, OfAHingedBodyDoNotDependOnItsSize) {
  for (const double m : {1e-15, 1.0, 1e15}) {
    for (const double l : {1e-15, 1.0, 1e15}) {
      for (const double t : {1e-15, 1.0, 1e15}) {
        const std::string torque = number(m * l * l / (t * t));
        const auto times = [&](double x, double s) { return number(x * m * l * l * s); };
        const std::string J = times(0.01, 1.0);
        const ModeResult result = modesOf(
            "nodes: {A: [0, 0, 0]}\nbodies: {a: {node: A, mass: " + number(m) + ", inertia: [" + J +
            ", " + J + ", " + J + "]}}\njoints: {h: {type: hinge, between: [ground, A], axis: " +
            "[0, 1, 0.3], stiffness: " + times(20.0, 1.0 / (t * t)) +
            ", damping: " + times(0.02, 1.0 / t) +
            "}}\nsensors: {q: {measure: angle, joint: h}}\nblocks: {pid: {type: pid, input: q, " +
            "kp: 15, ki: " + number(30.0 / t) + ", kd: " + number(0.4 * t) +
            "}}\nactuators: {m: {type: torque, joint: h, input: pid, gain: " + torque + "}}\n");
        expectRoots(
            result,
            {Complex(-0.8659558799940502) / t, Complex(-20.56702206000297, 55.14868390278862) / t},
            1e-9);
        EXPECT_TRUE(result.verdict.isStable());
      }
    }
  }
}

// mpmath: polyroots([J, c + kd, k + kp, ki])
TEST(ScaledModes, OfATorsionBalance) {
  expectRoots(modesOf(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 0.1, inertia: [1e-5, 1e-5, 1e-5]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 0, 1], stiffness: 1e-9, damping: 1e-9}}
sensors: {q: {measure: angle, joint: h}}
blocks: {pid: {type: pid, input: q, kp: 4e-9, ki: 1e-11, kd: 2e-7}}
actuators: {m: {type: torque, joint: h, input: pid}}
)"),
              {{-0.002168666178128792, 0.0}, {-0.008965666910935604, 0.01951229713934076}}, 1e-11);
}

TEST(ScaledModes, OfAMicromirror) {
  expectRoots(modesOf(R"(
nodes: {A: {position: [0, 0, 0], angular_velocity: [0, 10, 0]}}
bodies: {a: {node: A, mass: 4.66e-11, inertia: [3.8833e-20, 3.8833e-20, 7.7666e-20]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0], stiffness: 1.5331e-12, damping: 9.76e-18}}
sensors: {q: {measure: angle, joint: h}}
blocks: {pid: {type: pid, input: q, kp: 3.0662e-12, ki: 4.8163e-9, kd: 2.44e-16}}
actuators: {m: {type: torque, joint: h, input: pid}}
)"),
              {{-1102.973221137524, 0.0}, {-2715.837572471436, 10250.42245739019}}, 1e-10);
}

// mpmath: polyroots([1/w, 1 + 1/w, 1 + 100/w, 150]), w = 6 pi
TEST(ScaledModes, DoNotDependOnTheSizeOfSignals) {
  for (const double g : {1e-15, 1e-12, 1e-6, 1.0, 1e6, 1e12, 1e15}) {
    const ModeResult result = modesOf(
        "nodes: {A: {position: [0, 0, 0], free: [x]}}\nbodies: {a: {node: A, mass: 1}}\n"
        "springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 100, "
        "damping: 1}}\nsensors: {q: {measure: position, node: A, direction: [1, 0, 0]}}\n"
        "blocks:\n  g1: {type: gain, input: q, gain: " +
        number(g) + "}\n  c: {type: low_pass, input: g1, frequency: 3 Hz}\n" +
        "  g2: {type: gain, input: c, gain: " + number(1.0 / g) +
        "}\nactuators: {m: {type: force, node: A, direction: [1, 0, 0], input: g2, gain: -50}}\n");
    expectRoots(result, {{-20.70487478049913, 0.0}, {0.4276594294801846, 11.67801066989105}},
                1e-12);
    EXPECT_EQ(result.verdict.growing, 1);
    EXPECT_TRUE(result.verdict.isCertain);
  }
}

// A cantilever with a PID from its middle to its tip. Slowly it follows the integral: with the compliance g of the middle
// for a force at the tip, (1 + g kp) s + g ki + g kd s² = 0, up to (s/262)², the share of inertia.
Complex findSlowRoot(int elements, double ki) {
  const ModeResult result = modesOf(
      "materials: {s: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
      "sections: {q: {type: rectangle, width: 50 mm, height: 50 mm}}\n"
      "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
      "beams: {b: {from: A, to: B, elements: " +
      std::to_string(elements) +
      ", section: q, material: s, y_axis: [0, 1, 0]}}\n"
      "sensors: {w: {measure: displacement, node: b@0.5, direction: [0, 0, 1]}}\n"
      "blocks: {u: {type: pid, input: w, kp: 2e5, ki: " +
      number(ki) +
      ", kd: 100}}\n"
      "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: u}}\n");
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.rigidMotions, 0);
  return result.ok() ? result.modes.front().eigenvalue : 0.0;
}

void expectSlowRoot(int elements, double ki) {
  const double EI = 210e9 * std::pow(0.05, 4) / 12.0, GA = 210e9 / 2.6 * 0.05 * 0.05 * 5.0 / 6.0;
  const double g = 0.25 * 2.5 / 6.0 / EI + 0.5 / GA;
  const double s = findSlowRoot(elements, ki).real();
  const double rest = g * ki + (1.0 + g * 2e5) * s + g * 100.0 * s * s;
  EXPECT_NEAR(rest / (g * ki), 0.0, 1e-6) << ki << " " << elements << " " << s;
}

TEST(ScaledModes, SlowRootsStaySlowOnFineMeshes) {
  for (const double ki : {1e5, -1e5, 10.0, 1e-3, 1e-9, -1e-15}) {
    for (const int elements : {2, 20, 100}) expectSlowRoot(elements, ki);
  }
  for (const double ki : {-1e5, 10.0}) expectSlowRoot(2000, ki);
}

// A door on two hinges, whose constraints depend on each other: J s² + k = 0, and it can do nothing else.
TEST(ScaledModes, OfADoorOnTwoHingesDoNotDependOnItsSize) {
  for (const double l : {1e-15, 1e-9, 1.0, 1e9, 1e12, 1e15}) {
    for (const double t : {1e-15, 1.0, 1e15}) {
      const std::string J = number(0.1 * l * l);
      const std::string hinge = ": {type: hinge, between: [ground, a], axis: [0, 1, 0], at: [0, ";
      const ModeResult result =
          modesOf("nodes: {a: [0, 0, 0]}\nbodies: {a: {node: a, mass: 1, inertia: [" + J + ", " +
                  J + ", " + J + "]}}\njoints:\n  h1" + hinge + number(l) + ", 0], stiffness: " +
                  number(l * l / (t * t)) + "}\n  h2" + hinge + number(-l) + ", 0]}\n");
      expectRoots(result, {Complex(0.0, std::sqrt(10.0)) / t}, 1e-9);
    }
  }
}

}  // namespace
}  // namespace flexloop::test
