// Linear equations of machines that are stiff, small, large, free to move, or whose inputs have rates: what is given is
// what the machine does at every frequency, or it is refused.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "linalg/roots/real_eigenpairs.hpp"
#include "support/linear_machine.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::test {
namespace {

using analysis::StateSpaceResult;
using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
const Complex i1(0.0, 1.0);

void expectNear(Complex value, Complex truth, double tolerance) {
  EXPECT_LE(std::abs(value - truth), tolerance * std::abs(truth)) << value << " is not " << truth;
}

// LAPACK balances, whatever the units of the states are.
Eigen::VectorXcd rootsOf(const Eigen::MatrixXd& A) {
  std::vector<Complex> roots;
  for (const linalg::Eigenpair& pair : linalg::findRealEigenpairs(A)) roots.push_back(pair.value);
  return Eigen::Map<const Eigen::VectorXcd>(roots.data(), std::ssize(roots));
}

Eigen::MatrixXcd responseOf(const analysis::StateSpace& system, Complex s) {
  return linalg::calcResponse({system.A, system.B, system.C, system.D}, s);
}

// By the size of each response at the same frequency.
void expectSameResponse(const Machine& machine, const StateSpaceResult& result, double lowestHz,
                        double highestHz, double tolerance) {
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  for (double hz = lowestHz; hz < highestHz; hz *= 1.3) {
    const Complex s = 2.0 * kPi * hz * Complex(1e-3, 1.0);
    const Eigen::MatrixXcd H = responseOf(result.system, s);
    for (Eigen::Index k = 0; k < H.rows(); ++k) {
      for (Eigen::Index i = 0; i < H.cols(); ++i) {
        const Complex truth = machine.response(s, static_cast<int>(k), static_cast<int>(i));
        EXPECT_LE(std::abs(H(k, i) - truth), tolerance * std::abs(truth)) << hz << " Hz";
      }
    }
  }
}

// An inverted pendulum on a cart, on a rail on two flexible legs, with state feedback.
std::string makePendulum(const std::string& gains) {
  return R"(
gravity: [0, 0, -9.81]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
sections: {strip: {type: rectangle, width: 60 mm, height: 5 mm}}
nodes:
  foot1: {position: [-0.8, 0, -0.6], free: []}
  foot2: {position: [0.8, 0, -0.6], free: []}
  head1: {position: [-0.8, 0, 0], free: [x]}
  head2: {position: [0.8, 0, 0]}
  cart: [0, 0, 0]
  bob: [0, 0, 0.5]
bodies:
  rail: {node: head1, mass: 6, inertia: [0.1, 2, 2], com: [0.8, 0, 0]}
  cart: {node: cart, mass: 1.5, inertia: [0.01, 0.01, 0.01]}
  bob: {node: bob, mass: 0.4, inertia: [0.0333333333333333, 0.0333333333333333, 1e-4]}
joints:
  frame: {type: weld, between: [head1, head2]}
  track: {type: slider, between: [head1, cart], axis: [1, 0, 0], damping: 2}
  pivot: {type: hinge, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0], damping: 1e-3}
beams:
  leg1: {from: foot1, to: head1, elements: 8, section: strip, material: steel, y_axis: [0, 1, 0], damping: 0.2 ms}
  leg2: {from: foot2, to: head2, elements: 8, section: strip, material: steel, y_axis: [0, 1, 0], damping: 0.2 ms}
sensors:
  x: {measure: displacement, joint: track}
  theta: {measure: angle, joint: pivot}
  sway: {measure: displacement, node: head1, direction: [1, 0, 0]}
blocks:
  law: {type: gain, inputs: [x, x.rate, theta, theta.rate, sway, sway.rate], gain: [[)" +
         gains + R"(]]}
actuators: {motor: {type: force, joint: track, input: law}}
)";
}

const char* const kGains =
    "28.28427125, 28.6694997, 137.9424171, 34.65485787, 93.728805, 31.63703745";

TEST(LinearTruth, OfAStiffFrameWithFeedbackOfRates) {
  for (const char* gains : {kGains, "0, 0, 0, 30, 0, 0"}) {
    const Machine machine(makePendulum(gains), {{"motor"}, {"x", "theta"}, ""});
    expectSameResponse(machine, machine.stateSpace(), 1e-3, 1e6, 1e-6);
    analysis::StateSpaceOptions options;
    options.minimal = true;
    const StateSpaceResult minimal =
        analysis::makeStateSpace(machine.model, machine.linear, machine.ports, options);
    expectSameResponse(machine, minimal, 1e-3, 1e6, 1e-6);
    EXPECT_LE(minimal.difference.share, 1e-6);
    EXPECT_LT(minimal.system.A.rows(), machine.stateSpace().system.A.rows());
    // No root is faster than the damping of the stiffest element lets it be, twice what is known of legs of one element.
    for (const Complex& root : rootsOf(minimal.system.A)) EXPECT_LT(std::abs(root), 1e12);
  }
}

// One hinged body with a pid: J s³ + (c + kd) s² + (k + kp) s + ki with everything scaled by m, time by t.
std::string makeHinged(double m, double t) {
  std::ostringstream text;
  text.precision(17);
  text << "nodes: {A: [0, 0, 0]}\n"
       << "bodies: {a: {node: A, mass: " << m << ", inertia: [" << 0.01 * m << ", " << 0.01 * m
       << ", " << 0.01 * m << "]}}\n"
       << "joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0.3], stiffness: "
       << 20.0 * m / (t * t) << ", damping: " << 0.02 * m / t << "}}\n"
       << "sensors: {q: {measure: angle, joint: h}}\n"
       << "blocks: {pid: {type: pid, input: q, kp: " << 15.0 * m / (t * t)
       << ", ki: " << 30.0 * m / (t * t * t) << ", kd: " << 0.4 * m / t << "}}\n"
       << "actuators: {u: {type: torque, joint: h, input: pid}}\n";
  return text.str();
}

// scipy: numpy.roots([0.01, 0.42, 35, 30]).
TEST(LinearTruth, DoesNotDependOnTheSizeOfTheMachine) {
  const Complex slow(-0.8659558799940503, 0.0), fast(-20.567022060002955, 55.148683902788626);
  for (const auto& [m, t] : {std::pair(1.0, 1.0),
                             {1e-15, 1.0},
                             {1e15, 1.0},
                             {1e-20, 1e-4},
                             {1.0, 1e-15},
                             {1.0, 1e15},
                             {1e15, 1e9},
                             {1e-9, 1e3}}) {
    const Machine machine(makeHinged(m, t), {{"u"}, {"q"}, ""});
    for (const bool minimal : {false, true}) {
      analysis::StateSpaceOptions options;
      options.minimal = minimal;
      const StateSpaceResult result =
          analysis::makeStateSpace(machine.model, machine.linear, machine.ports, options);
      ASSERT_TRUE(result.ok()) << m << " " << t << ": " << messageOf(result.failure);
      ASSERT_EQ(result.system.A.rows(), 3);
      const Eigen::VectorXcd roots = rootsOf(result.system.A) * t;
      EXPECT_LT((roots.array() - slow).abs().minCoeff(), 1e-9 * std::abs(slow)) << m << " " << t;
      EXPECT_LT((roots.array() - fast).abs().minCoeff(), 1e-9 * std::abs(fast)) << m << " " << t;
      for (const double w : {1e-3, 0.5, 60.0, 1e4}) {
        const Complex s = i1 * w;
        const Complex H = s / (0.01 * s * s * s + 0.42 * s * s + 35.0 * s + 30.0);
        expectNear(responseOf(result.system, s / t)(0, 0) * (m / (t * t)), H, 1e-9);
      }
    }
  }
}

// A rotation of 3e11 N·m/rad beside a servo of a few.
TEST(LinearTruth, OfAServoOnAVeryStiffBase) {
  const Machine machine(R"(
nodes: {A: [0, 0, 0], B: [0, 0, 1]}
bodies: {a: {node: A, mass: 1e4, inertia: [1e5, 1e5, 1e5]}, b: {node: B, mass: 10, inertia: [0.5, 0.5, 0.5]}}
joints:
  base: {type: hinge, between: [ground, A], axis: [0, 0, 1], stiffness: 3e11, damping: 1e6}
  servo: {type: hinge, between: [A, B], axis: [0, 0, 1], damping: 0.1}
sensors: {q: {measure: angle, joint: servo}}
blocks: {pid: {type: pid, input: q, kp: 40, ki: 20, kd: 6}}
actuators: {m: {type: torque, joint: servo, input: pid}}
)",
                        {{"m"}, {"q"}, ""});
  expectSameResponse(machine, machine.stateSpace(), 1e-3, 1e4, 1e-9);
  // As on a rigid base, 0.5 s³ + 6.1 s² + 40 s + 20, to 1e-9: scipy numpy.roots.
  const Eigen::VectorXcd roots = rootsOf(machine.stateSpace().system.A);
  for (const Complex& truth :
       {Complex(-0.5429564549146845, 0.0), Complex(-5.8285217725426595, 6.300719554858045)}) {
    EXPECT_LT((roots.array() - truth).abs().minCoeff(), 1e-6 * std::abs(truth));
  }
}

// A mass on a spring whose pid reads the rate of its reference: (kd s + kp)/(m s² + (c + kd) s + k + kp).
std::string makeFollower(const char* source) {
  return std::string(
             "nodes: {c: {position: [0, 0, 0], free: [x]}}\n"
             "bodies: {c: {node: c, mass: 2}}\n"
             "springs: {k: {type: linear, between: [ground, c], direction: [1, 0, 0], "
             "stiffness: 50, damping: 4}}\n"
             "sensors: {p: {measure: position, node: c, direction: [1, 0, 0]}}\n"
             "blocks:\n  r: ") +
         source +
         "\n  pid: {type: pid, input: p, reference: r, kp: 20, ki: 0, kd: 6}\n"
         "actuators: {f: {type: force, node: c, direction: [1, 0, 0], input: pid}}\n";
}

TEST(LinearTruth, TheRateOfAReferenceActs) {
  for (const char* source : {"{type: sine, amplitude: 1, frequency: 2 Hz}",
                             "{type: constant, value: 0}", "{type: ramp, slope: 1}"}) {
    const Machine machine(makeFollower(source), {{"r"}, {"p"}, ""});
    // At 2 Hz 0.0598 − 0.2761i.
    const Complex s = 4.0 * kPi * i1;
    const Complex truth = (6.0 * s + 20.0) / (2.0 * s * s + 10.0 * s + 70.0);
    expectNear(truth, Complex(0.0598, -0.2761), 1e-3);
    expectNear(machine.response(s), truth, 1e-12);
    const StateSpaceResult result = machine.stateSpace();
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    EXPECT_EQ(result.system.A.rows(), 2);
    for (const double w : {0.0, 1.0, 12.0, 1e3}) {
      const Complex at = i1 * w;
      expectNear(responseOf(result.system, at)(0, 0),
                 (6.0 * at + 20.0) / (2.0 * at * at + 10.0 * at + 70.0), 1e-10);
    }
    // The controller itself follows the derivative at once.
    const Machine improper(makeFollower(source), {{"r"}, {"pid"}, ""});
    EXPECT_FALSE(improper.stateSpace().ok());
    EXPECT_TRUE(says(messageOf(improper.stateSpace().failure), "derivative of the input 'r'"));
    expectNear(improper.response(s), (20.0 + 6.0 * s) * (1.0 - truth), 1e-12);
  }
}

// A free mass with a high-pass of order n behind its position: the loop does not hold it, and L = 3 h/(2 s²).
std::string makeFree(int order) {
  return "nodes: {c: {position: [0, 0, 0], free: [x]}}\n"
         "bodies: {c: {node: c, mass: 2}}\n"
         "sensors: {p: {measure: position, node: c, direction: [1, 0, 0]}}\n"
         "blocks: {h: {type: high_pass, input: p, frequency: 1 Hz, order: " +
         std::to_string(order) +
         "}}\n"
         "actuators: {f: {type: force, node: c, direction: [1, 0, 0], input: h, gain: -3}}\n";
}

TEST(LinearTruth, ALoopThatLeavesAMachineFreeIsNotUnstable) {
  for (const int order : {2, 3, 4}) {
    const Machine machine(makeFree(order), {{"f"}, {"f"}, "f"});
    const auto loop =
        analysis::analyzeLoop(machine.model.system(), machine.linear, machine.ports, 0.01, 10.0);
    ASSERT_TRUE(loop.closedUnstable);
    EXPECT_EQ(*loop.closedUnstable, 0) << order;
    EXPECT_EQ(*loop.openUnstable, 0) << order;
    EXPECT_LE(loop.margins.gains.size(), 2u) << order;
    EXPECT_TRUE(loop.margins.phases.empty()) << order;
    // Butterworth's filters, ω = 2π: |3 h/2s²| ≤ 3/(2ω²) = 0.038.
    for (const analysis::GainMargin& margin : loop.margins.gains) EXPECT_GT(margin.factor, 26.0);
  }
}

// A satellite with a pid, and two integrators in a row that nothing takes back: chains at zero of four, cut and closed.
TEST(LinearTruth, IdleIntegratorsOnAFloatingMachineAreNotUnstable) {
  const Machine machine(R"(
sections: {s: {type: stiffness, EA: 1e6, GAy: 1e5, GAz: 1e5, GJ: 100, EIy: 100, EIz: 150, rhoA: 2, rhoJ: [0.002, 0.001, 0.001]}}
nodes: {A: [0, 0, 0], B: [1, 0, 0], C: [-1, 0, 0]}
bodies: {hub: {node: A, mass: 3, inertia: [1, 1, 1]}}
beams:
  w: {from: A, to: B, elements: 8, section: s, y_axis: [0, 1, 0]}
  w2: {from: A, to: C, elements: 8, section: s, y_axis: [0, 1, 0]}
sensors:
  r: {measure: rotation, node: A, direction: [0, 0, 1]}
  i: {measure: position, node: B, direction: [1, 0, 0]}
blocks:
  u: {type: pid, input: r, kp: 3, ki: 1, kd: 5}
  idle: {type: integrator, input: i}
  idle2: {type: integrator, input: idle}
actuators: {t: {type: torque, node: A, direction: [0, 0, 1], input: u}}
)",
                        {{"u"}, {"u"}, "u"});
  const auto loop =
      analysis::analyzeLoop(machine.model.system(), machine.linear, machine.ports, 0.01, 10.0);
  ASSERT_TRUE(loop.closedUnstable);
  EXPECT_EQ(*loop.closedUnstable, 0);
  EXPECT_EQ(*loop.openUnstable, 0);
}

// In nanometres: a slider on an arm with a pid of its own, which the motor of the arm does not reach. Its slow root
// and its entry in A are those in metres.
TEST(LinearTruth, KeepsWhatInputsDoNotReachInAnyUnit) {
  const auto text = [](double length) {
    const auto number = [](double x) {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", x);
      return std::string(digits);
    };
    const auto l = [&](double x) { return number(x * length); };
    const auto l2 = [&](double x) { return number(x * length * length); };
    return "nodes: {a: [" + l(0.5) + ", 0, 0], b: [" + l(1) +
           ", 0, 0]}\nbodies: {a: {node: a, mass: 1, inertia: [" + l2(0.1) + ", " + l2(0.2) + ", " +
           l2(0.2) + "]}, b: {node: b, mass: 0.5, inertia: [" + l2(0.05) + ", " + l2(0.05) + ", " +
           l2(0.05) + "]}}\njoints:\n" +
           "  h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], damping: " +
           l2(0.2) +
           "}\n  s: {type: slider, between: [a, b], axis: [1, 0, 0], stiffness: 30, damping: "
           "0.3}\n" +
           "sensors: {q: {measure: angle, joint: h}, d: {measure: displacement, joint: s}}\n" +
           "blocks:\n  u: {type: pid, input: q, reference: 0, kp: 20, ki: 8, kd: 5}\n" +
           "  v: {type: pid, input: d, reference: 0, kp: " + number(10 / length) +
           ", kd: " + number(1 / length) + ", ki: " + number(3 / length) + ", filter: 0.01}\n" +
           "actuators: {m: {type: torque, joint: h, input: u, gain: " + l2(1) +
           "}, f: {type: force, joint: s, input: v, gain: " + l(1) + "}}\n";
  };
  const analysis::PortNames names{{"m"}, {"q", "d"}, ""};
  const Machine metres(text(1.0), names);
  const Eigen::VectorXcd truth = rootsOf(metres.stateSpace().system.A);
  for (const double length : {1e8, 1e9, 1e15, 1e-9}) {
    const Machine machine(text(length), names);
    const StateSpaceResult result = machine.stateSpace();
    ASSERT_TRUE(result.ok()) << messageOf(result.failure);
    const Eigen::VectorXcd roots = rootsOf(result.system.A);
    ASSERT_EQ(roots.size(), truth.size());
    for (const Complex& root : truth) {
      EXPECT_LT((roots.array() - root).abs().minCoeff(), 1e-7 * std::abs(root)) << length << root;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
