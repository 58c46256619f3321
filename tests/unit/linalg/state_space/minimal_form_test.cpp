// State equations of least order: machines and systems whose least order is known from their symmetry or their
// making. Responses are compared with those of the machine itself, which need no state equations.
#include "linalg/state_space/minimal_form.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/state_space.hpp"
#include "support/crank_model.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::PortNames;
using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

constexpr double kPi = std::numbers::pi;

struct Reduced {
  Reduced(const std::string& text, const PortNames& names) : model(buildModel(text)) {
    const analysis::OperatingState found = analysis::findOperatingPoint(model, {});
    EXPECT_TRUE(found.ok()) << messageOf(found.failure);
    linear = analysis::linearize(model, found.state);
    ports = analysis::makePorts(model, linear, names);
    analysis::StateSpaceOptions options;
    options.minimal = true;
    result = analysis::makeStateSpace(model, linear, ports, options);
    EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  }

  int order() const { return static_cast<int>(result.system.A.rows()); }

  // The largest error over frequencies, by the largest response of each input and output.
  double error(double lowestHz, double highestHz) const {
    const analysis::StateSpace& s = result.system;
    MatrixXd largest = MatrixXd::Zero(s.D.rows(), s.D.cols()), error = largest;
    for (double hz = lowestHz; hz < highestHz; hz *= 1.05) {
      const Complex at(0.0, 2.0 * kPi * hz);
      MatrixXcd H;
      EXPECT_TRUE(analysis::ResponseSolver(ports).calc(at, H));
      largest = largest.cwiseMax(H.cwiseAbs());
      error = error.cwiseMax((H - linalg::calcResponse({s.A, s.B, s.C, s.D}, at)).cwiseAbs());
    }
    return error.cwiseQuotient(largest).maxCoeff();
  }

  model::Model model;
  analysis::LinearModel linear;
  analysis::LinearPorts ports;
  analysis::StateSpaceResult result;
};

// An arm in space that moves in a plane: hub, eight round elements, in the plane 2·(1 + 3·8) states. The torque of
// the hub does not stretch the straight arm, which takes 2·8 of them. Modes in the plane and across it have nearly equal
// roots.
TEST(MinimalForm, OfAnArmIsItsBendingInThePlane) {
  const Reduced arm(R"(
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {s: {type: circle, diameter: 10 mm}}
nodes: {A: [0, 0, 0], B: [0.6, 0, 0.3]}
bodies: {hub: {node: A, mass: 0.4, inertia: [1e-3, 1e-3, 1e-3]}, end: {node: B, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}}
beams: {b: {from: A, to: B, elements: 8, section: s, material: alu, y_axis: [0, 1, 0], damping: 1e-5}}
joints: {h1: {type: hinge, between: [ground, A], axis: [0, 1, 0]}}
sensors: {phi: {measure: angle, joint: h1}, tip: {measure: displacement, node: B, direction: [0, 0, 1]}}
blocks: {t: {type: constant, value: 0}, r1: {type: gain, input: phi, gain: 1}, r2: {type: gain, input: tip, gain: 1}}
actuators: {u: {type: torque, joint: h1, input: t}}
)",
                    {{"u"}, {"tip", "phi"}, ""});
  EXPECT_EQ(arm.order(), 2 * (1 + 3 * 8) - 2 * 8);
  EXPECT_LE(arm.error(1.0, 1e4), 1e-8);
  EXPECT_LE(arm.result.responseError, 1e-10);
  for (const std::string& name : arm.result.system.states) EXPECT_FALSE(says(name, ".y"));
  // Across the plane the arm is clamped. Of Bernoulli's cantilever with mass and inertia at its end,
  // EI w''' + ω² m w = 0 and EI w'' − ω² J w' = 0 there, the first root is 38.188/s.
  bool hasFirst = false;
  for (const analysis::LeftOutRoot& root : arm.result.leftOut) {
    hasFirst = hasFirst || std::abs(root.root.imag() - 38.188) < 0.02;
    EXPECT_TRUE(root.reach < 1e-9 || root.sight < 1e-9) << root.name;
  }
  EXPECT_TRUE(hasFirst);
}

// Squares of axial frequencies are 1e10 of those of the slowest, and digits of the response are lost all the same
// not by what is left out. In the plane there are 11 coordinates, their rates and two states of blocks. Whether the states keep the names of coordinates depends on rounding.
TEST(MinimalForm, OfAStiffLoopKeepsDigits) {
  const Reduced crank(kCrank, {{"u", "c"}, {"tip", "phi"}, ""});
  EXPECT_EQ(crank.order(), 2 * 11 + 2);
  EXPECT_LE(crank.error(0.01, 1e4), 1e-9);
  for (const std::string& name : crank.result.system.states) {
    EXPECT_FALSE(says(name, ".y")) << name;
    EXPECT_EQ(says(name, "mode"), crank.result.isModal) << name;
  }
}

// x_left = x_right is never left by a force on the middle: of three masses the antisymmetric vibration goes,
// (k/m)^(1/2) with c/2m; the free motion, a double zero, stays.
TEST(MinimalForm, OfASymmetricChainHasNoAntisymmetricMode) {
  const Reduced chain(R"(
nodes: {L: {position: [-1, 0, 0], free: [x]}, M: {position: [0, 0, 0], free: [x]}, R: {position: [1, 0, 0], free: [x]}}
bodies: {l: {node: L, mass: 2}, m: {node: M, mass: 3}, r: {node: R, mass: 2}}
springs:
  a: {type: linear, between: [L, M], direction: [1, 0, 0], stiffness: 70, damping: 0.3}
  b: {type: linear, between: [M, R], direction: [1, 0, 0], stiffness: 70, damping: 0.3}
sensors: {x: {measure: displacement, node: M, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}, read: {type: gain, input: x, gain: 1}}
loads: {f: {node: M, force: [1, 0, 0], signal: u}}
)",
                      {{"u"}, {"x"}, ""});
  EXPECT_EQ(chain.order(), 4);
  EXPECT_EQ(chain.result.system.states,
            (std::vector<std::string>{"L.x", "M.x", "L.x rate", "M.x rate"}));
  EXPECT_LE(chain.error(1e-3, 1e2), 1e-9);
  ASSERT_EQ(chain.result.leftOut.size(), 1u);
  const Complex root = chain.result.leftOut[0].root;
  EXPECT_NEAR(root.real(), -0.3 / 4.0, 1e-13);
  EXPECT_NEAR(root.imag(), std::sqrt(70.0 / 2.0 - 0.075 * 0.075), 1e-12);
}

// 1/(s + 2) · (s + 2)/(s² + 3 s + 50) has order two.
TEST(MinimalForm, CancelsAPoleWithAZero) {
  const Reduced series(R"(
blocks:
  u: {type: constant, value: 0}
  first: {type: transfer_function, input: u, numerator: [1], denominator: [1, 2]}
  second: {type: transfer_function, input: first, numerator: [1, 2], denominator: [1, 3, 50]}
)",
                       {{"u"}, {"second"}, ""});
  EXPECT_EQ(series.order(), 2);
  ASSERT_EQ(series.result.leftOut.size(), 1u);
  EXPECT_NEAR(series.result.leftOut[0].root.real(), -2.0, 1e-12);
  EXPECT_TRUE(says(series.result.leftOut[0].name, "1/s"));
  for (const double omega : {0.1, 7.0, 40.0}) {
    const Complex s(0.0, omega);
    const analysis::StateSpace& m = series.result.system;
    const Complex H = linalg::calcResponse({m.A, m.B, m.C, m.D}, s)(0, 0);
    EXPECT_LE(std::abs(H - 1.0 / (s * s + 3.0 * s + 50.0)), 1e-14);
  }
}

// A free body has twelve roots zero in six chains; a force sees one of them.
TEST(MinimalForm, OfAFreeBodyIsOneChain) {
  const Reduced body(R"(
nodes: {A: [0, 0, 0]}
bodies: {m: {node: A, mass: 2, inertia: [0.3, 0.4, 0.5]}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}, read: {type: gain, input: x, gain: 1}}
loads: {f: {node: A, force: [1, 0, 0], signal: u}}
)",
                     {{"u"}, {"x"}, ""});
  EXPECT_EQ(body.result.system.states, (std::vector<std::string>{"A.x", "A.x rate"}));
  EXPECT_EQ(body.result.leftOut.size(), 1u);
  EXPECT_EQ(body.result.leftOut[0].states, 10);
  EXPECT_LE(body.error(0.1, 10.0), 1e-14);
}

// Two chains of equal masses and springs: all roots are double, and only one of each pair is driven.
TEST(MinimalForm, TellsEqualChainsApart) {
  const Reduced chains(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}, C: {position: [0, 1, 0], free: [x]}, D: {position: [1, 1, 0], free: [x]}}
bodies: {a: {node: A, mass: 2}, b: {node: B, mass: 3}, c: {node: C, mass: 2}, d: {node: D, mass: 3}}
springs:
  k1: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 50, damping: 0.1}
  k2: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: 30, damping: 0.2}
  k3: {type: linear, between: [ground, C], direction: [1, 0, 0], stiffness: 50, damping: 0.1}
  k4: {type: linear, between: [C, D], direction: [1, 0, 0], stiffness: 30, damping: 0.2}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}, read: {type: gain, input: x, gain: 1}}
loads: {f: {node: B, force: [1, 0, 0], signal: u}}
)",
                       {{"u"}, {"x"}, ""});
  EXPECT_EQ(chains.result.system.states,
            (std::vector<std::string>{"A.x", "B.x", "A.x rate", "B.x rate"}));
  EXPECT_LE(chains.error(1e-2, 1e2), 1e-12);
}

TEST(MinimalForm, KeepsAllThatTakesPart) {
  const Reduced mass(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {m: {node: A, mass: 2}}
springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 100}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}, read: {type: gain, input: x, gain: 1}}
loads: {f: {node: A, force: [1, 0, 0], signal: u}}
)",
                     {{"u"}, {"x"}, ""});
  EXPECT_EQ(mass.order(), 2);
  EXPECT_TRUE(mass.result.leftOut.empty());
}

linalg::MinimalForm reduce(const linalg::StateMatrices& s) {
  const MatrixXd one = MatrixXd::Identity(s.A.rows(), s.A.rows());
  return linalg::findMinimalForm(s, linalg::makeShiftedInverse(one, s.A, 1.0));
}

// Systems with a known part that is reached and seen, with an oscillation, an integrator and a double zero, mixed with others
// that are only reached, only seen, or neither, by random coordinates whose units differ by 1e8.
TEST(MinimalForm, IsFoundInRandomCoordinates) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-4.0, 4.0);
  const int n = 14, order = 6;
  for (int round = 0; round < 20; ++round) {
    const auto fill = [&](MatrixXd& m) {
      for (Eigen::Index i = 0; i < m.size(); ++i) m(i) = normal(random);
    };
    linalg::StateMatrices s{MatrixXd::Zero(n, n), MatrixXd::Zero(n, 2), MatrixXd(3, n),
                            MatrixXd::Zero(3, 2)};
    MatrixXd B(n, 2), C(3, n);
    fill(B);
    fill(C);
    // 0-5: both. 6-8: reached only. 9-11: seen only. 12, 13: neither.
    B.middleRows(9, 5).setZero();
    C.middleCols(6, 3).setZero();
    C.rightCols(2).setZero();
    s.A.block(0, 0, 2, 2) << -0.1, 30.0, -30.0, -0.1;
    s.A(3, 2) = 1.0;
    s.A(5, 5) = -2.0;
    s.A.block(6, 6, 2, 2) << -0.2, 31.0, -31.0, -0.2;
    s.A(8, 8) = -50.0;
    s.A.block(9, 9, 2, 2) << 0.3, 4.0, -4.0, 0.3;
    s.A(11, 11) = -7.0;
    s.A.block(12, 12, 2, 2) << -0.1, 30.0, -30.0, -0.1;
    // One integrator beside the chain of two: its inputs and outputs are independent of those.
    linalg::StateMatrices kept{s.A.topLeftCorner(order, order), B.topRows(order), C.leftCols(order),
                               s.D};
    MatrixXd T(n, n);
    fill(T);
    T = Eigen::HouseholderQR<MatrixXd>(T).householderQ();
    Eigen::VectorXd units(n);
    for (double& unit : units) unit = std::pow(10.0, exponent(random));
    T = (units.asDiagonal() * T).eval();
    const MatrixXd inverse = T.inverse();
    s.A = (T * s.A * inverse).eval();
    s.B = T * B;
    s.C = C * inverse;
    const linalg::MinimalForm form = reduce(s);
    ASSERT_EQ(form.system.A.rows(), order) << "round " << round;
    for (const double omega : {0.2, 3.0, 30.0, 100.0}) {
      const Complex at(0.0, omega);
      const MatrixXcd truth = linalg::calcResponse(kept, at);
      const MatrixXcd found = linalg::calcResponse(form.system, at);
      EXPECT_LE((found - truth).cwiseAbs().maxCoeff(), 1e-9 * truth.cwiseAbs().maxCoeff());
    }
  }
}

TEST(MinimalForm, OfNothingIsNothing) {
  const linalg::MinimalForm form =
      reduce({MatrixXd(0, 0), MatrixXd(0, 1), MatrixXd(1, 0), MatrixXd::Constant(1, 1, 2.0)});
  EXPECT_EQ(form.system.A.rows(), 0);
  EXPECT_EQ(linalg::calcResponse(form.system, 1.0)(0, 0), 2.0);
  const linalg::MinimalForm deaf = reduce({-MatrixXd::Identity(3, 3), MatrixXd::Zero(3, 1),
                                           MatrixXd::Ones(1, 3), MatrixXd::Zero(1, 1)});
  EXPECT_EQ(deaf.system.A.rows(), 0);
}

// A controller whose output nothing reads moves nothing: no state is left, exactly.
TEST(MinimalForm, OfASignalThatNothingReadsIsANumber) {
  const Reduced machine(
      "nodes: {A: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {m: {node: A, mass: 2}}\n"
      "springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 100, "
      "damping: 1}}\n"
      "sensors: {v: {measure: velocity, node: A, direction: [1, 0, 0]}}\n"
      "blocks:\n"
      "  c: {type: transfer_function, input: v, numerator: [3], denominator: [0.1, 1]}\n"
      "  g: {type: sum, inputs: [c, -v]}\n",
      {{"c"}, {"g", "v"}, ""});
  EXPECT_EQ(machine.order(), 0);
  EXPECT_DOUBLE_EQ(machine.result.system.D(0, 0), 1.0);
  EXPECT_EQ(machine.result.system.D(1, 0), 0.0);
  ASSERT_EQ(machine.result.leftOut.size(), 2u);
  const Complex slow(-0.25, std::sqrt(50.0 - 0.0625));
  EXPECT_LT(std::abs(machine.result.leftOut[0].root - slow), 1e-12);
  EXPECT_LT(std::abs(machine.result.leftOut[1].root + 10.0), 1e-12);
}

}  // namespace
}  // namespace flexloop::test
