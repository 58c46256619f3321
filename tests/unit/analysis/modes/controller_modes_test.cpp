// Modes of one or two masses with controllers of every kind, against the equations of motion written by hand and solved by
// NumPy and SciPy: m = 2, k = 300, c = 1.5 everywhere.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;

const std::string kMass =
    "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}\n"
    "sensors:\n"
    "  p: {measure: displacement, node: A, direction: [1, 0, 0]}\n";

// The other mass stands apart unless it is tied.
std::string springs(const std::string& more) {
  return "bodies: {m: {node: A, mass: 2}, m2: {node: B, mass: 1}}\nsprings:\n"
         "  k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 300, damping: "
         "1.5}\n" +
         more;
}

const char* const kApart =
    "  k2: {type: linear, between: [ground, B], direction: [1, 0, 0], stiffness: 4e6}\n";

std::string force(const std::string& input) {
  return "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: " + input + "}}\n";
}

void expectRoots(const std::string& text, const std::vector<Complex>& roots,
                 model::OperatingPoint about = {}) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
  ASSERT_TRUE(point.ok()) << messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = 40});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_EQ(result.modes.size(), roots.size());
  for (const Complex root : roots) {
    double nearest = 1e300;
    for (const analysis::Mode& mode : result.modes) {
      nearest = std::min(nearest, std::abs(mode.eigenvalue - root));
    }
    EXPECT_LT(nearest, 1e-8 * std::max(1.0, std::abs(root))) << root;
  }
}

// (m s² + c s + k) d(s) + n(s) = 0 with n/d the product of all blocks, by numpy.poly1d:
//   lead_lag (0.03 s + 1)/(0.004 s + 1), notch with ω = 14 π, C (s − A)⁻¹ B + D by scipy.signal.ss2tf, and
//   pid 120 + 80/s + 9 s/(0.02 s + 1).
TEST(ControllerModes, AChainOfFiltersAndAPid) {
  expectRoots(
      kMass +
          "blocks:\n"
          "  ll: {type: lead_lag, input: p, lead: 0.03, lag: 0.004}\n"
          "  nt: {type: notch, input: ll, frequency: 7, damping: 0.4, depth: 0.1}\n"
          "  ss: {type: state_space, inputs: [nt], A: [[-200, 10], [0, -150]], B: [[30], [150]], "
          "C: [[2, 0.7]], D: [[0.1]]}\n"
          "  pid: {type: pid, input: ss, kp: 120, ki: 80, kd: 9, filter: 0.02}\n" +
          springs(kApart) + force("pid"),
      {{-262.988529399, 0.0},
       {-200.0, 0.0},
       {-115.04849439, 0.0},
       {-63.83588028, 0.0},
       {-18.626762684, 35.77352974},
       {-3.296019231, 15.622387272},
       {-0.217369821, 0.0},
       {0, 2000}});
}

// A map from instant to instant by scipy.linalg.expm, with the memory (integral, derivative, last error) of
// the controller: I += ki h (e + e_last)/2, D = (T D + kd (e − e_last))/(T + h); s = log(eig)/h.
TEST(ControllerModes, ASampledPid) {
  expectRoots(
      "nodes: {A: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {m: {node: A, mass: 2}}\n"
      "springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 300, "
      "damping: 1.5}}\n"
      "sensors: {p: {measure: displacement, node: A, direction: [1, 0, 0]}}\n"
      "blocks: {pid: {type: discrete_pid, input: p, kp: 90, ki: 60, kd: 4, filter: 0.03, "
      "method: trapezoidal, sample: 0.02}}\n" +
          force("pid"),
      {{-0.8032977961850143, 14.48103137631233},
       {-23.42889373101577, 0},
       {-0.15434795614792196, 0}});
}

// The second mass is tied to the first by k2 = 500, c2 = 0.8, whose force on it is q. With
// u = 0.25 q − l, 0.02 l' + l = x_B'', roots of det(K + s C + s² M) by scipy.linalg.eigvals. The loop is unstable.
TEST(ControllerModes, AnAccelerationAndAForceAreFedBack) {
  expectRoots(
      kMass +
          "  a: {measure: acceleration, node: B, direction: [1, 0, 0]}\n"
          "  q: {measure: force, spring: k2, direction: [1, 0, 0]}\n"
          "blocks:\n"
          "  lag: {type: transfer_function, input: a, numerator: [1], denominator: [0.02, 1]}\n"
          "  part: {type: gain, input: q, gain: 0.25}\n"
          "  u: {type: sum, inputs: [-lag, part]}\n" +
          springs("  k2: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: 500, "
                  "damping: 0.8}\n") +
          force("u"),
      {{-53.189139340181875, 0},
       {1.0407071757968018, 30.789680427532208},
       {-0.37113750570712595, 8.610889357020731}});
}

// A pendulum held by a spring and a servo: m g l cos θ − kt θ + kp (0.2 − θ) = 0 by scipy.optimize.brentq, and about it
// J s² + (ct + kd) s + kt + kp + m g l sin θ = 0.
TEST(ControllerModes, APendulumHangsInItsServo) {
  const std::string text =
      "gravity: [0, 0, -9.81]\nnodes: {A: [0.8, 0, 0]}\n"
      "bodies: {bob: {node: A, mass: 1.5, inertia: [0.05, 0.05, 0.05]}}\n"
      "joints: {h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0], stiffness: "
      "6, "
      "damping: 0.3}}\n"
      "sensors: {th: {measure: angle, joint: h}}\n"
      "blocks: {pid: {type: pid, input: th, reference: 0.2, kp: 4, kd: 0.5}}\n"
      "actuators: {motor: {type: torque, joint: h, input: pid}}\noutputs: [th]\n";
  const double angle = 0.8536759131660759, inertia = 1.5 * 0.64 + 0.05;
  const analysis::EquilibriumResult rest = analysis::findEquilibrium(buildModel(text));
  EXPECT_NEAR(rest.outputs.at(0), angle, 1e-12);
  const double stiffness = 10.0 + 1.5 * 9.81 * 0.8 * std::sin(angle), decay = 0.8 / (2.0 * inertia);
  expectRoots(text, {{-decay, std::sqrt(stiffness / inertia - decay * decay)}},
              {model::OperatingPoint::Kind::kEquilibrium, 0.0});
}

// Critically damped: −ω twice, with one shape, which the rate signal of the controller hides from inverse iteration.
TEST(ControllerModes, ADoubleRootOnAnObliqueRail) {
  struct Rail {
    const char* axis;
    double angle, mass, omega;
  };
  for (const Rail& rail :
       {Rail{"[1, -2, 3.3]", 2.1, 20.0, 50.0}, Rail{"[1, -2, 3.3]", 2.1, 2.0, 2.0},
        Rail{"[0.3, 1, 0.2]", 1.0, 4.0, 8.0}, Rail{"[1, 0, 0]", 0.5, 1.0, 1.0}}) {
    char text[1500];
    std::snprintf(
        text, sizeof text,
        "assemblies:\n  rail:\n"
        "    nodes: {table: {position: [0, 0, 0], free: [x]}}\n"
        "    bodies: {table: {node: table, mass: %.17g}}\n"
        "    sensors: {x: {measure: displacement, node: table, direction: [1, 0, 0]}}\n"
        "    blocks:\n      go: {type: polynomial, distance: 0.3, duration: 0.6, start: 0.1}\n"
        "      servo: {type: pid, input: x, reference: go, kp: %.17g, kd: %.17g}\n"
        "    actuators: {f: {type: force, node: table, direction: [1, 0, 0], input: servo}}\n"
        "instances: {i: {of: rail, position: [3, -1, 2], rotation: {axis: %s, angle: %.17g}}}\n",
        rail.mass, rail.mass * rail.omega * rail.omega, 2.0 * rail.mass * rail.omega, rail.axis,
        rail.angle);
    const model::Model model = buildModel(text);
    const analysis::ModeResult result =
        analysis::findModes(model, analysis::findOperatingPoint(model, {}).state, {.count = 10});
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    ASSERT_GE(result.modes.size(), 1u);
    for (const analysis::Mode& mode : result.modes) {
      EXPECT_LT(std::abs(mode.eigenvalue + rail.omega), 1e-6 * rail.omega) << text;
    }
    EXPECT_EQ(result.rigidMotions, 0);
  }
}

}  // namespace
}  // namespace flexloop::test
