// Modes of sampled loops, against exact discretisations.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/records/free_response.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;

ModeResult tryModes(const std::string& text, const analysis::ModeOptions& options = {}) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, model.modes().about);
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  return analysis::findModes(model, point.state, options);
}

ModeResult modesOf(const std::string& text, const analysis::ModeOptions& options = {}) {
  ModeResult result = tryModes(text, options);
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  return result;
}

// These multipliers and no others.
void expectMultipliers(const ModeResult& result, const std::vector<Complex>& multipliers,
                       double tolerance = 1e-12) {
  ASSERT_TRUE(result.sampled);
  EXPECT_EQ(result.modes.size(), multipliers.size());
  for (const Complex& wanted : multipliers) {
    double nearest = INFINITY;
    for (const Mode& mode : result.modes) {
      nearest = std::min(nearest, std::abs(*mode.multiplier - wanted));
      EXPECT_LE(std::abs(std::exp(mode.eigenvalue * result.sampled->period) - *mode.multiplier),
                1e-14);
    }
    EXPECT_LE(nearest, tolerance) << wanted;
  }
  for (const Mode& mode : result.modes) EXPECT_LT(mode.residual, 1e-13) << mode.eigenvalue;
}

// y' = −a y + b u, u = −k y(t_k): μ = e^{−aT} − k b (1 − e^{−aT})/a.
TEST(SampledModes, OneStateWithAHold) {
  for (const double k : {2.0, 9.0, 20.0}) {
    const double a = 3.0, b = 2.0, T = 0.1, decay = std::exp(-a * T);
    const ModeResult result = modesOf(
        "blocks:\n"
        "  y: {type: transfer_function, input: u, numerator: 2, denominator: [1, 3]}\n"
        "  v: {type: gain, input: y, gain: -" +
        std::to_string(k) +
        "}\n"
        "  u: {type: hold, input: v, sample: 0.1}\n");
    expectMultipliers(result, {decay - k * b * (1.0 - decay) / a}, 1e-14);
    EXPECT_EQ(result.sampled->period, 0.1);
    EXPECT_EQ(result.sampled->vanished, 1);
    EXPECT_EQ(result.modes.at(0).isStable(), k < 15.0);
  }
}

std::string makeCart(const std::string& blocks, const std::string& start = "") {
  return "nodes: {cart: {position: [0, 0, 0], free: [x]" + start +
         "}}\n"
         "bodies: {cart: {node: cart, mass: 3}}\n"
         "sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}\n"
         "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n"
         "blocks:\n" +
         blocks;
}

const char* const kProportional =
    "  p: {type: gain, input: x, gain: -30}\n"
    "  d: {type: gain, input: x.rate, gain: -12}\n"
    "  v: {type: sum, inputs: [p, d]}\n";

// With the exact discretisation of m x'' = u, u = −kp x − kd x' at the instants:
// μ² − (2 − (kp T²/2 + kd T)/m) μ + 1 + (kp T²/2 − kd T)/m = 0.
TEST(SampledModes, ADoubleIntegratorWithHeldFeedback) {
  const double m = 3.0, kp = 30.0, kd = 12.0, T = 0.1;
  const double half = 1.0 - 0.5 * (0.5 * kp * T * T + kd * T) / m;
  const double product = 1.0 + (0.5 * kp * T * T - kd * T) / m;
  const ModeResult result =
      modesOf(makeCart(std::string(kProportional) + "  u: {type: hold, input: v, sample: 0.1}\n"));
  expectMultipliers(result, {{half, std::sqrt(product - half * half)}});
  EXPECT_EQ(result.rigidMotions, 0);
}

// numpy.linalg.eigvals of [[F − G (kp + kd/T) e₁ᵀ, G kd/T], [1, 0, 0]] with F, G from scipy.linalg.expm.
TEST(SampledModes, ADiscretePidWithoutIntegral) {
  const ModeResult result =
      modesOf(makeCart("  u: {type: discrete_pid, input: x, kp: 30, kd: 12, sample: 0.1}\n"));
  expectMultipliers(result, {0.37257222350585173, {0.6887138882470745, 0.24996369882134922}});
}

// u_k = −kp x_{k−1} − kd x'_{k−1}: eigvals of [[F, G], [−kp, −kd, 0]], T = 0.05.
TEST(SampledModes, AUnitDelayAddsARoot) {
  const std::string blocks =
      std::string(kProportional) + "  u: {type: unit_delay, input: v, sample: 0.05}\n";
  expectMultipliers(modesOf(makeCart(blocks)),
                    {0.2350790394013016, {0.88246048029935, 0.13735929773072378}});
}

// The position every 0.1 s, the velocity every 0.04 s from 0.01 s on: the product of the maps of all
// seven instants in 0.2 s; mpmath.eig with 40 digits. The other is 1.3e-8, and as near to a
// zero that rounding moves it by as much.
TEST(SampledModes, TwoRatesWithAnOffset) {
  const ModeResult result =
      modesOf(makeCart("  p: {type: gain, input: x, gain: -30}\n"
                       "  d: {type: gain, input: x.rate, gain: -12}\n"
                       "  hp: {type: hold, input: p, sample: 0.1}\n"
                       "  hd: {type: hold, input: d, sample: 0.04, offset: 0.01}\n"
                       "  u: {type: sum, inputs: [hp, hd]}\n"));
  EXPECT_NEAR(result.sampled->period, 0.2, 1e-16);
  ASSERT_EQ(result.modes.size(), 2);
  for (const Mode& mode : result.modes) {
    const bool isSlow = std::abs(*mode.multiplier) > 0.5;
    const Complex slow(0.59193496683790838, 0.35208465003513124);
    EXPECT_LT(std::abs(*mode.multiplier - (isSlow ? slow : 0.0)), isSlow ? 1e-12 : 1e-7);
  }
  EXPECT_EQ(result.sampled->vanished, 1);
}

// Blocks in a chain act at one instant, one after the other: as one hold. A hold that another reads a moment later
// is as good as none.
TEST(SampledModes, ChainsActAtOnce) {
  const std::string chain =
      "  a: {type: hold, input: v, sample: 0.1}\n"
      "  b: {type: gain, input: a, gain: 2}\n"
      "  c: {type: hold, input: b, sample: 0.1}\n"
      "  u: {type: gain, input: c, gain: 0.5}\n";
  const ModeResult result = modesOf(makeCart(kProportional + chain));
  const double half = 1.0 - 0.5 * (0.15 + 1.2) / 3.0, product = 1.0 + (0.15 - 1.2) / 3.0;
  expectMultipliers(result, {{half, std::sqrt(product - half * half)}});
  EXPECT_EQ(result.sampled->vanished, 2);
}

// 10 kHz is nearly continuous: the difference falls with the period.
TEST(SampledModes, AFastPidIsNearlyTheContinuousOne) {
  const Complex continuous =
      modesOf(makeCart("  u: {type: pid, input: x, kp: 300, ki: 500, kd: 40}\n"))
          .modes.back()
          .eigenvalue;
  const auto distance = [&](const std::string& period) {
    const ModeResult result = modesOf(makeCart(
        "  u: {type: discrete_pid, input: x, kp: 300, ki: 500, kd: 40, sample: " + period + "}\n"));
    double nearest = INFINITY;
    for (const Mode& mode : result.modes) {
      nearest = std::min(nearest, std::abs(mode.eigenvalue - continuous));
    }
    return nearest;
  };
  const double coarse = distance("0.2 ms"), fine = distance("0.1 ms");
  EXPECT_LT(fine, 2e-3 * std::abs(continuous));
  EXPECT_NEAR(coarse / fine, 2.0, 0.05);
}

// A vibration of 7 Hz seen at 10 Hz appears at 3 Hz, and is told.
TEST(SampledModes, WhatIsAboveHalfTheSamplingFrequencyIsFolded) {
  const double omega = 2.0 * std::numbers::pi * 7.0;
  const ModeResult result = modesOf(makeCart(
      "  u: {type: hold, input: 0, sample: 0.1}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: " +
      std::to_string(3.0 * omega * omega) + "}}\n"));
  ASSERT_EQ(result.modes.size(), 1);
  EXPECT_NEAR(result.modes[0].frequencyHz(), 3.0, 1e-8);
  EXPECT_EQ(result.sampled->folded, 1);
}

// Nothing holds the cart: one motion without resistance, a double multiplier of one.
TEST(SampledModes, AFloatingMachineIsTold) {
  const ModeResult result = modesOf(makeCart("  u: {type: hold, input: 2, sample: 0.1}\n"));
  ASSERT_EQ(result.modes.size(), 1);
  EXPECT_EQ(result.modes[0].eigenvalue, 0.0);
  EXPECT_EQ(*result.modes[0].multiplier, 1.0);
  EXPECT_EQ(result.rigidMotions, 1);
}

TEST(SampledModes, ASimulationRingsAsTheModesSay) {
  const std::string blocks =
      std::string(kProportional) + "  u: {type: hold, input: v, sample: 0.1}\n";
  const ModelRun run =
      runModel(makeCart(blocks, ", velocity: [1, 0, 0]"), "x", "end: 3, step: 2 ms, rho: 1");
  std::vector<double> values;
  for (int k = 0; k < 30; ++k) values.push_back(run.at(0.1 * k, "x"));
  const auto roots = analysis::calcEigenvalues(values, 0.1, 2);
  const ModeResult result = modesOf(makeCart(blocks));
  ASSERT_EQ(result.modes.size(), 1);
  EXPECT_LT(std::abs(roots[1] - result.modes[0].eigenvalue), 1e-4 * std::abs(roots[1]));
}

TEST(SampledModes, WithoutTheLoopNothingIsSampled) {
  const ModeResult result =
      modesOf(makeCart(std::string(kProportional) + "  u: {type: hold, input: v, sample: 0.1}\n"),
              {.view = {analysis::LoopView::kOpen}});
  EXPECT_FALSE(result.sampled);
  EXPECT_EQ(result.rigidMotions, 1);
}

// What a hold gives is late, or what it reads.
std::string makeLate(const std::string& gain, const std::string& delay, bool isActuator) {
  const std::string scaled =
      std::string(kProportional) + "  g: {type: gain, input: v, gain: " + gain + "}\n";
  return makeCart(scaled + (isActuator
                                ? "  w: {type: hold, input: g, sample: 0.1}\n"
                                  "  u: {type: transport_delay, input: w, delay: " +
                                      delay + "}\n"
                                : "  late: {type: transport_delay, input: g, delay: " + delay +
                                      "}\n  u: {type: hold, input: late, sample: 0.1}\n"));
}

// numpy.linalg.eigvals of the map of x_k and the values on their way, with Phi and Gamma of parts of the period from
// scipy.linalg.expm: x_{k+1} = Phi(T) x_k + Phi(T−r) Gamma(r) w_{k−q−1} + Gamma(T−r) w_{k−q} for a delay q T + r. A
// reading that is late gives the same, Phi(T−r) x_{k−q−1} + Gamma(T−r) w_{k−q−1} being read.
TEST(SampledModes, DelaysBesideAHold) {
  for (const bool isActuator : {true, false}) {
    expectMultipliers(modesOf(makeLate("1", "0.03", isActuator)),
                      {0.1815711844868298, {0.7569644077565847, 0.2512350236894789}}, 1e-13);
    expectMultipliers(modesOf(makeLate("0.3", "0.1", isActuator)),
                      {0.11416783386095047, {0.9429160830695246, 0.1749510984687592}}, 1e-13);
    expectMultipliers(modesOf(makeLate("0.1", "0.23", isActuator)),
                      {{-0.13030887631084376, 0.15600438961158036},
                       0.28277916327161673,
                       {0.9889192946750354, 0.10289039137927497}},
                      1e-13);
  }
}

// m x'' = u with u = −kp x(t_k) − kd x'(t_k) that acts τ later, by hand: with a = kp/m, b = kd/m, r = T − τ, the map of
// (x, x', w) with x_{k+1} = x + T x' + (T² − r²)/2 w⁻ + r²/2 w, x'_{k+1} = x' + τ w⁻ + r w, w = −a x − b x'.
TEST(SampledModes, ADoubleIntegratorThatIsToldLate) {
  const double a = 10.0, b = 4.0, T = 0.1, tau = 0.07, r = T - tau;
  Eigen::Matrix3d map;
  map << 1 - a * r * r / 2, T - b * r * r / 2, (T * T - r * r) / 2, -a * r, 1 - b * r, tau, -a, -b,
      0;
  const ModeResult result = modesOf(makeLate("1", "0.07", true));
  ASSERT_EQ(result.modes.size(), 2);
  for (const Mode& mode : result.modes) {
    const Eigen::Matrix3cd shifted =
        map.cast<Complex>() - *mode.multiplier * Eigen::Matrix3cd::Identity();
    EXPECT_LT(std::abs(shifted.determinant()), 1e-14) << *mode.multiplier;
  }
}

// A simulation of `hold, delay of one period, hold` shows the second hold two periods late: it reads what was before.
TEST(SampledModes, ABlockThatReadsAtAnArrivalSeesWhatWasBefore) {
  const std::string start = std::string(kProportional) +
                            "  g: {type: gain, input: v, gain: 0.1}\n"
                            "  w: {type: hold, input: g, sample: 0.1}\n";
  const ModeResult read =
      modesOf(makeCart(start + "  a: {type: transport_delay, input: w, delay: 0.1}\n"
                               "  u: {type: hold, input: a, sample: 0.1}\n"));
  const ModeResult late =
      modesOf(makeCart(start + "  u: {type: transport_delay, input: w, delay: 0.2}\n"));
  std::vector<Complex> multipliers;
  for (const Mode& mode : late.modes) multipliers.push_back(*mode.multiplier);
  expectMultipliers(read, multipliers, 1e-12);
}

// Two delays in a row are one of their sum.
TEST(SampledModes, DelaysAddUp) {
  const std::string start =
      std::string(kProportional) + "  w: {type: hold, input: v, sample: 0.1}\n";
  const ModeResult chain =
      modesOf(makeCart(start + "  a: {type: transport_delay, input: w, delay: 0.01}\n"
                               "  u: {type: transport_delay, input: a, delay: 0.02}\n"));
  expectMultipliers(chain, {0.1815711844868298, {0.7569644077565847, 0.2512350236894789}}, 1e-13);
}

TEST(SampledModes, ASimulationWithADelayRingsAsTheModesSay) {
  for (const bool isActuator : {true, false}) {
    std::string text = makeLate("0.3", "0.03", isActuator);
    const ModeResult result = modesOf(text);
    text.replace(text.find("free: [x]"), 9, "free: [x], velocity: [1, 0, 0]");
    const ModelRun run = runModel(text, "x", "end: 3, step: 2 ms, rho: 1");
    std::vector<double> values;
    for (int k = 2; k < 30; ++k) values.push_back(run.at(0.1 * k, "x"));
    const auto roots = analysis::calcEigenvalues(values, 0.1, 3);
    const Complex slow = result.modes.back().eigenvalue;
    double nearest = INFINITY;
    for (const Complex& root : roots) nearest = std::min(nearest, std::abs(root - slow));
    EXPECT_LT(nearest, 1e-3 * std::abs(slow)) << slow;
  }
}

TEST(SampledModes, WhatCannotBeDoneIsRefused) {
  const ModeResult delayed =
      tryModes(makeCart(std::string(kProportional) +
                        "  late: {type: transport_delay, input: v, delay: 0.03}\n"
                        "  w: {type: hold, input: x, sample: 0.1}\n"
                        "  u: {type: sum, inputs: [late, -w]}\n"));
  EXPECT_FALSE(delayed.ok());
  EXPECT_TRUE(says(messageOf(delayed.failure), "the delay of signal late is in a loop of signals"));
  EXPECT_TRUE(says(delayed.failure->hint, "pade: 4"));
  const ModeResult absurd =
      tryModes(makeCart("  a: {type: hold, input: x, sample: 0.1}\n"
                        "  b: {type: hold, input: a, sample: 0.0314159}\n"
                        "  u: {type: gain, input: b, gain: -3}\n"));
  EXPECT_FALSE(absurd.ok());
  EXPECT_TRUE(says(messageOf(absurd.failure), "0.1 s and 0.0314159 s have no common multiple"));
}

std::string makeBox(const std::string& config, const std::string& period = "0.1") {
  return makeCart(
      "  u: {type: library, path: ./boxes/gains.so, inputs: [-x], outputs: [force], sample: " +
      period + ", config: \"" + config + "\"}\n");
}

// numpy.linalg.eigvals of the recursion of the box with F, G = scipy.signal.cont2discrete of 1/(3 s²) by 'zoh'.
TEST(SampledModes, ABlackBoxIsWhatItDoesFromInstantToInstant) {
  expectMultipliers(
      modesOf(makeBox("kp=30 ki=5 kd=12")),
      {0.3741590490834533, 0.9824231758683347, {0.6962922208574392, 0.24345976023049934}}, 1e-11);
  expectMultipliers(
      modesOf(makeBox("kp=30 ki=5 kd=12 filter=0.05 rule=1")),
      {0.7360461908182838, 0.9822418991859675, {0.7156476216645402, 0.39520873952923097}}, 1e-11);
  expectMultipliers(
      modesOf(makeBox("kp=10 ki=1 kd=8 lag=0.03")),
      {0.5008921023506997, 0.9892030350772346, {0.8125806364142383, 0.1116046868504802}}, 1e-11);
  expectMultipliers(modesOf(makeBox("kp=3 ki=0.2 kd=5 delay=2 rule=2")),
                    {0.9140190203790746,
                     0.9924087945624236,
                     {0.7934072536057242, 0.14071432140939877},
                     {-0.24662116107647425, 0.2840238361211294}},
                    1e-11);
}

// Also where a weak integral stands beside a strong derivative.
TEST(SampledModes, ABlackBoxHasTheModesOfTheSameBlocks) {
  for (const auto& [ki, period] : {std::pair{"5", "0.1"}, {"3", "1 ms"}, {"0.001", "0.1 ms"}}) {
    const ModeResult blocks = modesOf(
        makeCart("  u: {type: discrete_pid, input: x, kp: 30, kd: 12, ki: " + std::string(ki) +
                 ", sample: " + period + "}\n"));
    const ModeResult box = modesOf(makeBox("kp=30 kd=12 ki=" + std::string(ki), period));
    EXPECT_TRUE(box.notes.empty());
    ASSERT_EQ(box.modes.size(), blocks.modes.size());
    for (std::size_t i = 0; i < box.modes.size(); ++i) {
      const Complex wanted = blocks.modes[i].eigenvalue;
      EXPECT_LT(std::abs(box.modes[i].eigenvalue - wanted), 1e-8 * std::abs(wanted)) << wanted;
    }
  }
}

// Small changes of a box that is curved, or that large ones drive beyond its range, count.
TEST(SampledModes, ABlackBoxIsVariedAsLittleAsItNeeds) {
  const ModeResult plain = modesOf(makeBox("kp=30 ki=5 kd=12"));
  for (const std::string more : {" cubic=100", " limit=1e-4"}) {
    const ModeResult result = modesOf(makeBox("kp=30 ki=5 kd=12" + more));
    ASSERT_EQ(result.modes.size(), plain.modes.size()) << more;
    for (std::size_t i = 0; i < plain.modes.size(); ++i) {
      EXPECT_LT(std::abs(*result.modes[i].multiplier - *plain.modes[i].multiplier), 1e-8) << more;
    }
  }
}

TEST(SampledModes, AnIntegralThatNobodyReadsStaysAsItIs) {
  const ModeResult result =
      modesOf(makeBox("kp=30 kd=12") +
              "  idle: {type: library, path: ./boxes/gains.so, inputs: [x], outputs: [force], "
              "sample: 0.1, config: \"kp=7 ki=3\"}\n");
  ASSERT_EQ(result.modes.size(), 3);
  EXPECT_EQ(result.modes[0].eigenvalue, 0.0);
}

TEST(SampledModes, ASimulationWithABlackBoxRingsAsTheModesSay) {
  std::string text = makeBox("kp=30 ki=5 kd=12");
  const ModeResult result = modesOf(text);
  text.replace(text.find("free: [x]"), 9, "free: [x], velocity: [1, 0, 0]");
  const ModelRun run = runModel(text, "x", "end: 3, step: 2 ms, rho: 1");
  std::vector<double> values;
  for (int k = 1; k < 30; ++k) values.push_back(run.at(0.1 * k, "x"));
  const auto roots = analysis::calcEigenvalues(values, 0.1, 4);
  for (const Mode& mode : result.modes) {
    double nearest = INFINITY;
    for (const Complex& root : roots) {
      nearest = std::min(nearest, std::abs(root - mode.eigenvalue));
    }
    EXPECT_LT(nearest, 1e-3 * std::abs(mode.eigenvalue)) << mode.eigenvalue;
  }
}

// One whose gain changes with time is no linear system: it takes part by its gains, as if it were continuous.
TEST(SampledModes, ABlackBoxThatIsNoLinearSystemIsTold) {
  const ModeResult result = modesOf(makeBox("kp=30 ki=5 kd=12 drift=0.5", "1 ms"));
  EXPECT_FALSE(result.sampled);
  ASSERT_EQ(result.notes.size(), 1);
  EXPECT_TRUE(says(result.notes[0], "black box 'u' is not linear from sample to sample"));
}

// A filter of a derivative that is none remembers nothing: the machine alone, and the integral.
TEST(SampledModes, AFilterWithoutADerivativeIsNoMode) {
  const ModeResult result = modesOf(
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {cart: {node: cart, mass: 2}}\n"
      "springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 50}}\n"
      "sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}\n"
      "blocks: {c: {type: discrete_pid, input: x, kp: 1, ki: 2, filter: 20 ms, sample: 10 ms}}\n");
  expectMultipliers(result, {1.0, {std::cos(0.05), std::sin(0.05)}});
}

// Clocks of 20 and 50 ms. By scipy's expm and the two laws, z⁺ of (x, x', I, w, e, f) over 0.1 s: beside two pairs and a
// slow one, what the inner law remembers has the multiplier −7.4e-10. It is small, but no zero.
TEST(SampledModes, OneThatIsNearlyGoneWithinACycleIsFinite) {
  const ModeResult result = modesOf(R"(
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 0.5}}
springs:
  k: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 40, damping: 0.3}
  k0: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 5}
sensors:
  x1: {measure: displacement, node: a, direction: [1, 0, 0]}
  x2: {measure: displacement, node: b, direction: [1, 0, 0]}
blocks:
  outer: {type: discrete_pid, input: x2, reference: 0, kp: 0.3, ki: 0.8, sample: 50 ms}
  inner: {type: discrete_pid, input: x1, reference: outer, kp: 6, kd: 1.5, sample: 20 ms}
actuators: {f: {type: force, node: a, direction: [1, 0, 0], input: inner}}
)");
  ASSERT_EQ(result.modes.size(), 4u);
  const Complex truth[] = {-0.35474994, {-0.41321747, 3.00390712}, {-0.60871549, 11.00241378}};
  for (int i = 0; i < 3; ++i) EXPECT_LT(std::abs(result.modes[i].eigenvalue - truth[i]), 1e-7);
  EXPECT_NEAR(result.modes[3].eigenvalue.real(), -210.2, 0.5);
}

// Two axes with motors, elastic gears and cascades of sampled controllers. What one axis does to the other is zero but for
// round-off of round-off, which no two ways to compute it share.
std::string makeTwoAxes(const std::string& encoder) {
  return R"(gravity: [0, 0, -9.81]
parameters:
  Ts: 0.5 ms
  N: 50
  Jm: 2e-5 kg*m^2
  Jaz: 0.08 kg*m^2
  mp: 4 kg
  off: 3 mm
nodes:
  frame: [0, 0, 0.3]
  payload: [0, 0, 0.5]
  rotor_az: [0.1, 0, 0.1]
  rotor_el: [0, 0.15, 0.5]
bodies:
  frame: {node: frame, mass: 3, inertia: [0.06, 0.06, = Jaz]}
  payload: {node: payload, mass: = mp, inertia: [0.03, 0.035, 0.02], com: [= off, 0, = off]}
  rotor_az: {node: rotor_az, mass: 0.2, inertia: [= Jm/2, = Jm/2, = Jm]}
  rotor_el: {node: rotor_el, mass: 0.2, inertia: [= Jm/2, = Jm, = Jm/2]}
joints:
  az: {type: hinge, between: [ground, frame], axis: [0, 0, 1], damping: 0.05}
  el: {type: hinge, between: [frame, payload], axis: [0, 1, 0], damping: 0.02}
  rot_az: {type: hinge, between: [ground, rotor_az], axis: [0, 0, 1], damping: 1e-5}
  rot_el: {type: hinge, between: [frame, rotor_el], axis: [0, 1, 0], damping: 1e-5}
sensors:
  az: {measure: angle, joint: az}
  el: {measure: angle, joint: el}
  m_az: {measure: angle, joint: rot_az}
  m_el: {measure: angle, joint: rot_el}
diagrams:
  gear:
    inputs: [motor, motor_rate, load, load_rate]
    outputs: {slow: torque, fast: back}
    parameters: {k: 2000 N*m, c: 0.5 N*m*s/rad}
    blocks:
      windup: {type: expression, inputs: [motor, load], value: motor/N - load}
      windup_rate: {type: expression, inputs: [motor_rate, load_rate], value: motor_rate/N - load_rate}
      torque: {type: expression, inputs: [windup, windup_rate], value: k*windup + c*windup_rate}
      back: {type: gain, input: torque, gain: = -1/N}
  drive:
    inputs: [angle, reference]
    outputs: {torque: speed}
    parameters: {kpos: 40, kp: 0.004, ki: 0.25, lines: 4096}
    blocks:
      encoder: )" +
         encoder + R"(
      omega: {type: discrete_transfer_function, input: encoder, numerator: [= 1/Ts, = -1/Ts], denominator: [1, 0], sample: = Ts}
      smooth: {type: discrete_transfer_function, input: omega, numerator: [0.3, 0], denominator: [1, -0.7], sample: = Ts}
      position: {type: discrete_pid, input: encoder, reference: reference, kp: = kpos, sample: = Ts}
      speed: {type: discrete_pid, input: smooth, reference: position, kp: = kp, ki: = ki, sample: = Ts}
blocks:
  aim_az: {type: constant, value: 0}
  aim_el: {type: constant, value: 0}
  motor_az: {type: gain, input: aim_az, gain: = N}
  motor_el: {type: gain, input: aim_el, gain: = N}
  gear_az: {type: gear, inputs: {motor: m_az, motor_rate: m_az.rate, load: az, load_rate: az.rate}}
  gear_el: {type: gear, inputs: {motor: m_el, motor_rate: m_el.rate, load: el, load_rate: el.rate}}
  drive_az: {type: drive, inputs: {angle: m_az, reference: motor_az}}
  drive_el: {type: drive, inputs: {angle: m_el, reference: motor_el}}
actuators:
  current_az: {type: torque, joint: rot_az, input: drive_az, time_constant: 0.3 ms}
  current_el: {type: torque, joint: rot_el, input: drive_el, time_constant: 0.3 ms}
  slow_az: {type: torque, joint: az, input: gear_az.slow}
  fast_az: {type: torque, joint: rot_az, input: gear_az.fast}
  slow_el: {type: torque, joint: el, input: gear_el.slow}
  fast_el: {type: torque, joint: rot_el, input: gear_el.fast}
)";
}

TEST(SampledModes, AQuantizerOfAnAxisIsItsMeanSlope) {
  const ModeResult smooth = modesOf(makeTwoAxes("{type: gain, input: angle, gain: 1}"));
  const ModeResult stepped = modesOf(
      makeTwoAxes("{type: quantizer, input: angle, step: = 2*pi/(4*lines), events: false}"));
  ASSERT_EQ(stepped.modes.size(), smooth.modes.size());
  ASSERT_GE(smooth.modes.size(), 8u);
  for (std::size_t i = 0; i < smooth.modes.size(); ++i) {
    EXPECT_LE(std::abs(stepped.modes[i].eigenvalue - smooth.modes[i].eigenvalue),
              1e-9 * std::abs(smooth.modes[i].eigenvalue));
  }
}

}  // namespace
}  // namespace flexloop::test
