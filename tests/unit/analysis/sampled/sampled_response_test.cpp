// Frequency responses and margins of loops with sampled blocks, against exact discretisations and closed forms.
#include "analysis/sampled/sampled_response.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::PortNames;
using analysis::ReturnRatio;
using analysis::SampledResponse;
using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
const Complex i1(0.0, 1.0);

struct SampledMachine {
  explicit SampledMachine(const std::string& text) : model(buildModel(text)) {
    const analysis::OperatingState found = analysis::findOperatingPoint(model, model.modes().about);
    EXPECT_TRUE(found.ok()) << messageOf(found.failure);
    state = found.state;
    blocks = analysis::findSampledBlocks(model, state);
    linear = analysis::linearize(model, state, {}, blocks.boxElements());
  }

  SampledResponse ports(const PortNames& names) const {
    return SampledResponse(model, blocks, linear, state, names);
  }

  Complex response(double omega, const PortNames& names) const {
    SampledResponse sampled = ports(names);
    EXPECT_EQ(messageOf(sampled.failure()), "");
    Eigen::MatrixXcd H;
    EXPECT_TRUE(sampled.calc(omega, H));
    return H(0, 0);
  }

  ReturnRatio loop(const std::string& cut) const {
    SampledResponse open = ports({{cut}, {cut}, cut});
    const SampledResponse closed = ports({{cut}, {cut}, ""});
    EXPECT_EQ(messageOf(open.failure()), "");
    return analysis::analyzeSampledLoop(open, closed, 0.01, 10.0);
  }

  // The largest multiplier of the closed loop.
  double largestMultiplier() const {
    analysis::ModeOptions options;
    options.count = 1000;
    double largest = 0.0;
    for (const analysis::Mode& mode : analysis::findModes(model, state, options).modes) {
      largest = std::max(largest, std::abs(*mode.multiplier));
    }
    return largest;
  }

  model::Model model;
  system::State state;
  analysis::SampledBlocks blocks;
  analysis::LinearModel linear;
};

void expectNear(Complex value, Complex truth, double tolerance) {
  EXPECT_LE(std::abs(value - truth), tolerance * std::abs(truth)) << value << " is not " << truth;
}

// y' = −3 y + 2 u, u = k (r − y) at the instants, T = 0.1.
std::string makeFirstOrder(double k, const std::string& more = "") {
  return "blocks:\n"
         "  r: {type: constant, value: 0}\n"
         "  e: {type: sum, inputs: [r, -y]}\n"
         "  v: {type: gain, input: e, gain: " +
         std::to_string(k) +
         "}\n"
         "  u: {type: hold, input: v, sample: 0.1}\n"
         "  y: {type: transfer_function, input: u, numerator: 2, denominator: [1, 3]}\n" +
         more;
}

// With E = e^{−aT}: y_{k+1} = E y_k + b (1 − E)/a u_k, and the hold gives u (1 − e^{−iωT})/(iωT) to the plant.
TEST(SampledResponse, OfAHoldIsItsClosedForm) {
  const double a = 3.0, b = 2.0, T = 0.1, E = std::exp(-a * T), k = 5.0;
  const SampledMachine machine(makeFirstOrder(k));
  for (const double omega : {0.01, 1.0, 10.0, 31.0, 40.0, 200.0}) {
    const Complex z = std::exp(i1 * omega * T), G = b * (1.0 - E) / (a * (z - E));
    const Complex u = k / (1.0 + k * G), hold = (1.0 - 1.0 / z) / (i1 * omega * T);
    const Complex plant = b / (i1 * omega + a);
    expectNear(machine.response(omega, {{"r"}, {"y"}, ""}), plant * hold * u, 1e-12);
    expectNear(machine.response(omega, {{"r"}, {"u"}, ""}), hold * u, 1e-12);
    // What is added behind the hold is continuous: y = plant (w + hold u).
    const Complex sampled = -k * plant / (1.0 + k * G);
    expectNear(machine.response(omega, {{"u"}, {"y"}, ""}), plant * (1.0 + hold * sampled), 1e-12);
  }
}

// L(z) = k b (1 − E)/(a (z − E)) wherever the loop is cut, and it reaches its limit at z = −1.
TEST(SampledResponse, OfACutLoopIsThatOfItsSamples) {
  const double a = 3.0, b = 2.0, T = 0.1, E = std::exp(-a * T), k = 5.0;
  const SampledMachine machine(makeFirstOrder(k));
  for (const char* cut : {"u", "v", "e", "y"}) {
    for (const double omega : {0.1, 5.0, 30.0}) {
      const Complex z = std::exp(i1 * omega * T), L = k * b * (1.0 - E) / (a * (z - E));
      expectNear(machine.response(omega, {{cut}, {cut}, cut}), -L, 1e-12);
    }
    const ReturnRatio loop = machine.loop(cut);
    EXPECT_TRUE(loop.isStable()) << cut;
    ASSERT_EQ(loop.margins.gains.size(), 1u) << cut;
    EXPECT_NEAR(loop.margins.gains[0].factor, a * (1.0 + E) / (k * b * (1.0 - E)), 1e-12);
    EXPECT_NEAR(loop.margins.gains[0].frequencyHz, 0.5 / T, 1e-12);
    EXPECT_EQ(loop.note, "");
  }
  EXPECT_FALSE(SampledMachine(makeFirstOrder(16.0)).loop("u").isStable());
  EXPECT_EQ(*SampledMachine(makeFirstOrder(16.0)).loop("u").closedUnstable, 1);
}

// A lag behind the hold is part of the plant: cut there, the loop is that of the hold. Of 2/((s + 3)(0.02 s + 1)),
// scipy.signal.cont2discrete with 'zoh'; L(e^{i 10 T}) with k = 5.
TEST(SampledResponse, BehindALagIsThatOfTheHoldBefore) {
  const std::string text =
      "blocks:\n"
      "  v: {type: gain, input: y, gain: -5}\n"
      "  u: {type: hold, input: v, sample: 0.1}\n"
      "  lag: {type: transfer_function, input: u, numerator: 1, denominator: [0.02, 1]}\n"
      "  y: {type: transfer_function, input: lag, numerator: 2, denominator: [1, 3]}\n";
  const SampledMachine machine(text);
  const Complex truth(-0.3598674240480333, -0.854421116406129);
  expectNear(machine.response(10.0, {{"u"}, {"u"}, "u"}), -truth, 1e-12);
  expectNear(machine.response(10.0, {{"lag"}, {"lag"}, "lag"}), -truth, 1e-12);
  EXPECT_TRUE(says(machine.loop("lag").note, "'u'"));
  EXPECT_TRUE(machine.loop("lag").isStable());
}

std::string makeCart(double factor) {
  const std::string p = std::to_string(-30.0 * factor), d = std::to_string(-12.0 * factor);
  return "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
         "bodies: {cart: {node: cart, mass: 3}}\n"
         "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
         "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n"
         "blocks:\n"
         "  p: {type: gain, input: x, gain: " +
         p + "}\n  d: {type: gain, input: x.rate, gain: " + d +
         "}\n"
         "  hp: {type: hold, input: p, sample: 0.1}\n"
         "  hd: {type: hold, input: d, sample: 0.04, offset: 0.01}\n"
         "  u: {type: sum, inputs: [hp, hd]}\n";
}

// Two rates: the loop has seven samples in 0.2 s. With the gain at its margin a multiplier is on the unit circle.
TEST(SampledResponse, OfSeveralRatesHasTheMarginsOfItsMultipliers) {
  const ReturnRatio loop = SampledMachine(makeCart(1.0)).loop("u");
  EXPECT_TRUE(loop.isStable());
  ASSERT_FALSE(loop.margins.gains.empty());
  const analysis::GainMargin* margin = nullptr;
  for (const analysis::GainMargin& each : loop.margins.gains) {
    if (each.factor > 1.0 && (margin == nullptr || each.factor < margin->factor)) margin = &each;
  }
  ASSERT_NE(margin, nullptr);
  EXPECT_NEAR(SampledMachine(makeCart(margin->factor)).largestMultiplier(), 1.0, 1e-5);
  EXPECT_GT(SampledMachine(makeCart(1.001 * margin->factor)).largestMultiplier(), 1.0);
  EXPECT_LT(SampledMachine(makeCart(0.999 * margin->factor)).largestMultiplier(), 1.0);
}

// A computer that needs τ = 30 ms of T = 0.1 s: x_{k+1} of (25.18) with m = 3, u = −30 x − 12 x'.
TEST(SampledResponse, OfALateHold) {
  const SampledMachine machine(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 3}}\n"
      "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
      "loads: {push: {node: cart, force: [1, 0, 0], signal: late}}\n"
      "blocks:\n"
      "  p: {type: gain, input: x, gain: -30}\n"
      "  d: {type: gain, input: x.rate, gain: -12}\n"
      "  v: {type: sum, inputs: [p, d]}\n"
      "  u: {type: hold, input: v, sample: 0.1}\n"
      "  late: {type: transport_delay, input: u, delay: 0.03}\n");
  const double T = 0.1, tau = 0.03, rest = T - tau, m = 3.0, omega = 4.0;
  const Complex z = std::exp(i1 * omega * T);
  Eigen::Matrix2cd A;
  A << z - 1.0, -T, 0.0, z - 1.0;
  const Eigen::Vector2cd b(((T * T - rest * rest) / z + rest * rest) / (2.0 * m),
                           (tau / z + rest) / m);
  const Eigen::Vector2cd x = A.inverse() * b;
  const Complex L = 30.0 * x[0] + 12.0 * x[1];
  expectNear(machine.response(omega, {{"u"}, {"u"}, "u"}), -L, 1e-12);
  expectNear(machine.response(omega, {{"v"}, {"v"}, "v"}), -L, 1e-12);
  // From what is added to the force: x = (w + late)/(−mω²) with the fundamental of the late steps.
  const Complex plant = -1.0 / (m * omega * omega);
  const Complex seen = -(30.0 + 12.0 * i1 * omega) * plant;
  const Complex hold = (1.0 - 1.0 / z) / (i1 * omega * T) * std::exp(-i1 * omega * tau);
  expectNear(machine.response(omega, {{"late"}, {"x"}, ""}),
             plant * (1.0 + hold * seen / (1.0 + L)), 1e-11);
}

// A sampled library takes part as what it does from sample to sample: a hold with a gain, as above.
TEST(SampledResponse, OfASampledLibrary) {
  const SampledMachine machine(
      "blocks:\n"
      "  u: {type: library, path: ./boxes/gains.so, inputs: [-y], outputs: [force], sample: 0.1, "
      "config: \"kp=5\"}\n"
      "  y: {type: transfer_function, input: u, numerator: 2, denominator: [1, 3]}\n");
  const double E = std::exp(-0.3);
  const ReturnRatio loop = machine.loop("u");
  EXPECT_TRUE(loop.isStable());
  ASSERT_EQ(loop.margins.gains.size(), 1u);
  EXPECT_NEAR(loop.margins.gains[0].factor, 3.0 * (1.0 + E) / (10.0 * (1.0 - E)), 1e-8);
  const Complex z = std::exp(i1 * 0.7);
  expectNear(machine.response(7.0, {{"u"}, {"u"}, "u"}), -10.0 * (1.0 - E) / (3.0 * (z - E)), 1e-8);
}

// A clamped beam, its tip held by a sampled controller: of any fineness the same machine, condensed or not.
std::string makeBeam(int elements) {
  return "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
         "sections: {s: {type: rectangle, width: 20 mm, height: 5 mm}}\n"
         "nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}\n"
         "bodies: {end: {node: B, mass: 0.1, inertia: [1e-5, 1e-5, 1e-5]}}\n"
         "beams: {b: {from: A, to: B, elements: " +
         std::to_string(elements) +
         ", section: s, material: alu, y_axis: [0, 1, 0], damping: 1e-4}}\n"
         "sensors: {tip: {measure: displacement, node: B, direction: [0, 0, 1]}}\n"
         "blocks: {u: {type: discrete_pid, input: tip, kp: 50, kd: 2, sample: 2 ms}}\n"
         "actuators: {f: {type: force, node: B, direction: [0, 0, 1], input: u}}\n";
}

TEST(SampledResponse, OfALargeMachineIsThatOfASmallOne) {
  // 30 elements have 180 motions, 300 have 1800.
  const SampledMachine small(makeBeam(30)), large(makeBeam(300));
  const ReturnRatio a = small.loop("u"), b = large.loop("u");
  EXPECT_EQ(a.note, "");
  EXPECT_TRUE(says(b.note, "shapes")) << b.note;
  EXPECT_EQ(a.isStable(), b.isStable());
  ASSERT_EQ(a.margins.gains.size(), b.margins.gains.size());
  ASSERT_FALSE(a.margins.gains.empty());
  // The meshes differ by (1/30)² of something.
  for (std::size_t i = 0; i < a.margins.gains.size(); ++i) {
    EXPECT_NEAR(b.margins.gains[i].factor, a.margins.gains[i].factor,
                1e-3 * a.margins.gains[i].factor);
  }
  for (const double omega : {3.0, 60.0, 900.0}) {
    expectNear(large.response(omega, {{"f"}, {"tip"}, ""}),
               small.response(omega, {{"f"}, {"tip"}, ""}), 1e-3);
  }
}

// A delay of half a sample behind a controller: at its two instants in a cycle the signal has two loci, one of which is
// zero, since the loop sees a single number. A factor of one is a factor of the other.
TEST(SampledLoop, BehindADelayOfAFasterClockHasTheMarginsBeforeIt) {
  const SampledMachine machine(R"(
nodes: {a: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}}
springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 4, damping: 0.3}}
sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}
blocks:
  u: {type: discrete_pid, input: x, kp: 2, ki: 1, kd: 0.5, sample: 0.1}
  d: {type: unit_delay, input: u, sample: 0.05}
actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: d}}
)");
  const ReturnRatio before = machine.loop("u"), behind = machine.loop("d");
  EXPECT_TRUE(behind.margins.isResolved);
  EXPECT_EQ(before.closedUnstable, behind.closedUnstable);
  ASSERT_EQ(before.margins.gains.size(), behind.margins.gains.size());
  for (std::size_t k = 0; k < before.margins.gains.size(); ++k) {
    EXPECT_NEAR(behind.margins.gains[k].factor / before.margins.gains[k].factor, 1.0, 1e-7);
  }
  ASSERT_EQ(before.margins.phases.size(), behind.margins.phases.size());
  for (std::size_t k = 0; k < before.margins.phases.size(); ++k) {
    EXPECT_NEAR(behind.margins.phases[k].degrees, before.margins.phases[k].degrees, 1e-5);
  }
}

// A wind-turbine controller computes in single precision; otherwise it is the block with the same equations. Held for 50 ms, it
// is nothing like the gains that it has in continuous time.
TEST(SampledResponse, ControllersOfWindTurbinesAreSampledToo) {
  const std::string machine =
      "nodes: {m: {position: [0, 0, 0], free: [x]}}\nbodies: {m: {node: m, mass: 1}}\n"
      "springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 12, "
      "damping: 8}}\n"
      "sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}\n"
      "actuators: {f: {type: force, node: m, direction: [1, 0, 0], input: u}}\n"
      "blocks:\n  e: {type: sum, inputs: [1, -x]}\n";
  const SampledMachine turbine(
      machine +
      "  u: {type: discon, path: boxes/discon_pid.so, inputs: {wind_speed: e, generator_speed: "
      "x.rate}, outputs: [torque], sample: 50 ms}\n");
  const SampledMachine own(machine +
                           "  u: {type: discrete_state_space, inputs: [e, x.rate], A: [[1]], B: "
                           "[[0.05, 0]], C: [[80]], D: [[4, -2]], sample: 50 ms}\n");
  for (const double omega : {1.0, 3.0, 9.0, 20.0, 50.0}) {
    expectNear(turbine.response(omega, {{"f"}, {"x"}, ""}), own.response(omega, {{"f"}, {"x"}, ""}),
               1e-4);
  }
}

}  // namespace
}  // namespace flexloop::test
