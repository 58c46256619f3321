// Derivatives of roots against those of polynomials whose roots move in closed form.
#include "study/sensitivity.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "support/model_maker.hpp"
#include "support/pid_model.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using test::makerOf;

constexpr const char* kOscillator = R"(
parameters: {m: 2, k: 50, c: 1.5}
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: = m}}
springs:
  wall: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: = k, damping: = c}
)";

const Sensitivity& find(const ModeSensitivity& mode, const std::string& name) {
  for (const Sensitivity& entry : mode.entries) {
    if (entry.name == name) return entry;
  }
  throw std::out_of_range(name);
}

void expectNear(Complex actual, Complex expected, double relative) {
  EXPECT_LT(std::abs(actual - expected), relative * std::abs(expected))
      << actual << " instead of " << expected;
}

TEST(Sensitivity, OfAnOscillatorIsThatOfItsPolynomial) {
  const SensitivityResult result =
      calcSensitivities(makerOf(kOscillator), {{"m", 2}, {"k", 50}, {"c", 1.5}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  const ModeSensitivity& mode = result.modes[0];
  const double m = 2, k = 50, c = 1.5;
  const Complex s(-c / (2 * m), std::sqrt(4 * m * k - c * c) / (2 * m));
  expectNear(mode.eigenvalue, s, 1e-13);
  expectNear(find(mode, "k").derivative, -1.0 / (2 * m * s + c), 1e-10);
  expectNear(find(mode, "c").derivative, -s / (2 * m * s + c), 1e-10);
  expectNear(find(mode, "m").derivative, -s * s / (2 * m * s + c), 1e-10);
  EXPECT_LT(find(mode, "m").uncertainty, 1e-6 * std::abs(find(mode, "m").derivative));
  // p dλ/dp: mass and stiffness move the root about as much, damping hardly.
  EXPECT_EQ(mode.entries.back().name, "c");
}

TEST(Sensitivity, TellsChangesOfFrequencyAndDampingRatio) {
  // λ = ω(−ζ + i√(1−ζ²)): a change of ω alone leaves ζ, a change of ζ alone leaves ω.
  const double omega = 7.0, zeta = 0.2, root = std::sqrt(1 - zeta * zeta);
  const Complex s(-omega * zeta, omega * root), byOmega = s / omega;
  const Complex byZeta(-omega, -omega * zeta / root);
  EXPECT_NEAR(calcDampingChange(s, byOmega), 0.0, 1e-15);
  EXPECT_NEAR(calcDampingChange(s, byZeta), 1.0, 1e-14);
  EXPECT_NEAR(calcFrequencyChange(s, byOmega), root / (2 * std::numbers::pi), 1e-15);
  EXPECT_EQ(calcFrequencyChange(-3.0, 1.0), 0.0);
  EXPECT_EQ(calcDampingChange(-3.0, 1.0), 0.0);
}

// x' = −k x(t − τ), so that s + k e^{−sτ} = 0 and with it s'(k) = s/(k + k s τ), s'(τ) = −s²/(1 + s τ).
TEST(Sensitivity, OfALoopWithADelayIsThatOfItsTranscendentalEquation) {
  const char* text = R"(
parameters: {k: 3, T: 0.4}
blocks:
  x:    {type: integrator, input: late, gain: = -k}
  late: {type: transport_delay, input: x, delay: = T}
)";
  ModeTask task;
  task.options.count = 3;
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"k", 3}, {"T", 0.4}}, task);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 3u);
  const double k = 3, T = 0.4;
  for (const ModeSensitivity& mode : result.modes) {
    const Complex s = mode.eigenvalue;
    EXPECT_LT(std::abs(s + k * std::exp(-s * T)), 1e-11 * std::abs(s));
    expectNear(find(mode, "k").derivative, s / (k * (1.0 + s * T)), 1e-9);
    expectNear(find(mode, "T").derivative, -s * s / (1.0 + s * T), 1e-9);
  }
}

TEST(Sensitivity, ReachesControllersAndValuesByPath) {
  const SensitivityResult result = calcSensitivities(
      makerOf(kPid), {{"ki", 80}, {"springs.wall.stiffness", 12}, {"blocks.pid.kd", 2}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 2u);
  for (const ModeSensitivity& mode : result.modes) {
    const Complex s = mode.eigenvalue, slope = 3.0 * s * s + 20.0 * s + 16.0;
    expectNear(find(mode, "ki").derivative, -1.0 / slope, 1e-9);
    expectNear(find(mode, "springs.wall.stiffness").derivative, -s / slope, 1e-9);
    expectNear(find(mode, "blocks.pid.kd").derivative, -s * s / slope, 1e-9);
  }
}

// A mass on two springs side by side sags under its weight; z and K follow from
//   2k (1 − l0/l) z = m g,   K = 2k (1 − l0 a²/l³),   l² = a² + z²,   dω/dg = (dK/dz) / (2 ω K)
TEST(Sensitivity, SeesTheEquilibriumMove) {
  const std::string text = R"(
parameters: {g: 9.81}
gravity: [0, 0, = -g]
nodes:
  left: {position: [-1, 0, 0], free: []}
  right: {position: [1, 0, 0], free: []}
  mass: {position: [0, 0, -0.1], free: [z]}
bodies: {mass: {node: mass, mass: 3}}
springs:
  a: {type: distance, between: [left, mass], stiffness: 200, length: 0.9}
  b: {type: distance, between: [mass, right], stiffness: 200, length: 0.9}
analysis: {modes: {about: equilibrium}}
)";
  const double k = 200, l0 = 0.9, m = 3, g = 9.81;
  double z = 0.1;
  for (int i = 0; i < 50; ++i) {
    const double l = std::hypot(1.0, z);
    z -= (2 * k * (1 - l0 / l) * z - m * g) / (2 * k * (1 - l0 / (l * l * l)));
  }
  const double l = std::hypot(1.0, z), K = 2 * k * (1 - l0 / (l * l * l));
  const double omega = std::sqrt(K / m), dKdz = 6 * k * l0 * z / std::pow(l, 5);
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"g", g}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 1u);
  expectNear(result.modes[0].eigenvalue, Complex(0, omega), 1e-9);
  expectNear(find(result.modes[0], "g").derivative, Complex(0, dKdz / (2 * omega * K)), 1e-7);
}

TEST(Sensitivity, OfRepeatedRootsIsThatOfTheirSplitting) {
  const std::string text = R"(
parameters: {k: 100}
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}}
springs:
  a: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: = k}
  b: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 100}
)";
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"k", 100}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 2u);
  EXPECT_LT(std::abs(find(result.modes[0], "k").derivative), 1e-9);
  expectNear(find(result.modes[1], "k").derivative, Complex(0, 1.0 / 20.0), 1e-8);
}

TEST(Sensitivity, OfAZeroAtTheEdgeOfWhatIsAllowedComesFromOneSide) {
  const SensitivityResult result = calcSensitivities(
      [](const Settings& settings) {
        Settings all{{"c", 0.0}};
        all.insert(all.end(), settings.begin(), settings.end());
        return makerOf(kOscillator)(all);
      },
      {{"c", 0.0}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_TRUE(result.skipped.empty()) << result.skipped[0].reason;
  expectNear(find(result.modes[0], "c").derivative, -0.25, 1e-8);
}

TEST(Sensitivity, SkipsWhatIsNoSmoothNumberAndSaysWhy) {
  const std::string text = R"(
parameters: {n: 4, E: 2e11}
materials: {steel: {E: = E, nu: 0.3, rho: 7800}}
sections: {rod: {type: circle, diameter: 20 mm}}
nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0]}
beams: {rod: {from: A, to: B, elements: = n, section: rod, material: steel, y_axis: [0, 1, 0]}}
)";
  ModeTask task;
  task.options.count = 4;
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"n", 4}, {"E", 2e11}}, task);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.skipped.size(), 1u);
  EXPECT_EQ(result.skipped[0].name, "n");
  EXPECT_FALSE(result.skipped[0].reason.empty());
  // All stiffnesses grow with E: λ ∝ √E, repeated bending pairs included.
  for (const ModeSensitivity& mode : result.modes) {
    EXPECT_EQ(mode.obstacle, "");
    expectNear(2e11 * find(mode, "E").derivative, 0.5 * mode.eigenvalue, 1e-7);
  }
}

// y' = −k y(t − τ): s + k e^{−sτ} = 0.
TEST(Sensitivity, OfALoopWithADelayIsExact) {
  const std::string text = R"(
parameters: {k: 2, tau: 0.3}
blocks:
  y: {type: integrator, input: u}
  v: {type: gain, input: y, gain: = -k}
  u: {type: transport_delay, input: v, delay: = tau}
)";
  const double k = 2, tau = 0.3;
  ModeTask task;
  task.options.count = 2;
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"k", k}, {"tau", tau}}, task);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 2u);
  for (const ModeSensitivity& mode : result.modes) {
    const Complex s = mode.eigenvalue, late = std::exp(-s * tau);
    EXPECT_LT(std::abs(s + k * late), 1e-12 * std::abs(s));
    expectNear(find(mode, "k").derivative, -late / (1.0 - k * tau * late), 1e-9);
    expectNear(find(mode, "tau").derivative, k * s * late / (1.0 - k * tau * late), 1e-9);
  }
}

constexpr const char* kSampledCart = R"(
parameters: {m: 3, kp: 30, kd: 12, T: 0.1, tau: 0.03}
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: = m}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
blocks:
  p: {type: gain, input: x, gain: = -kp}
  d: {type: gain, input: x.rate, gain: = -kd}
  v: {type: sum, inputs: [p, d]}
  u: {type: hold, input: v, sample: = T}
)";

struct Derivative {
  const char* name;
  double value;
  Complex derivative;
};

void expectDerivatives(const std::string& text, Complex root,
                       const std::vector<Derivative>& wanted) {
  Settings settings;
  for (const Derivative& entry : wanted) settings.push_back({entry.name, entry.value});
  const SensitivityResult result = calcSensitivities(makerOf(text), settings, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  EXPECT_TRUE(result.skipped.empty());
  ASSERT_FALSE(result.modes.empty());
  const ModeSensitivity& mode = result.modes.back();
  expectNear(mode.eigenvalue, root, 1e-12);
  for (const Derivative& entry : wanted) {
    const Sensitivity& found = find(mode, entry.name);
    expectNear(found.derivative, entry.derivative, 1e-8);
    EXPECT_LT(found.uncertainty, 1e-6 * std::abs(entry.derivative)) << entry.name;
  }
}

// λ = ln(a + i √(b − a²))/T, a = 1 − (kp T²/2 + kd T)/2m, b = 1 + (kp T²/2 − kd T)/m; mpmath.diff with 30 digits.
TEST(Sensitivity, OfASampledLoopIsThatOfItsMap) {
  const double m = 3, kp = 30, kd = 12, T = 0.1;
  const double a = 1 - (kp * T * T / 2 + kd * T) / m / 2, b = 1 + (kp * T * T / 2 - kd * T) / m;
  expectDerivatives(std::string(kSampledCart) + "  force: {type: gain, input: u, gain: 1}\n",
                    std::log(Complex(a, std::sqrt(b - a * a))) / T,
                    {{"m", m, {0.89743589743589744, -0.24521146558644111}},
                     {"kp", kp, {0.012820512820512821, 0.082217961990747901}},
                     {"kd", kd, {-0.25641025641025641, -0.14424203858025948}},
                     {"T", T, {-1.5377772723003641, 4.0991845864472638}}});
}

// (25.18): mpmath.diff of the logarithm of the multiplier of [[1, T, (T² − r²)/2m], [0, 1, τ/m], [0, 0, 0]] +
// (r²/2m, r/m, 1) (−kp, −kd, 0), r = T − τ, by T.
TEST(Sensitivity, OfASampledLoopThatActsLate) {
  expectDerivatives(
      std::string(kSampledCart) + "  force: {type: transport_delay, input: u, delay: = tau}\n",
      {-2.261886239408515717, 3.204582589403404565},
      {{"m", 3, {1.1653637991493978, -0.55556031196286198}},
       {"kp", 30, {0.035884760891134155, 0.093745480058379791}},
       {"kd", 12, {-0.38105285201518484, -0.095473622155233981}},
       {"T", 0.1, {-0.80366809931493767, 7.8484314235938519}},
       {"tau", 0.03, {-2.5765173791386439, 16.320653529239664}}});
}

// Two equal loops: the gain of one moves one of the two roots, as in OfASampledLoopIsThatOfItsMap.
TEST(Sensitivity, OfRepeatedSampledRoots) {
  std::string text =
      "parameters: {k: 30}\n"
      "nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [0, 0, 0], free: [x]}}\n"
      "bodies: {a: {node: a, mass: 3}, b: {node: b, mass: 3}}\n"
      "sensors:\n"
      "  xa: {measure: position, node: a, direction: [1, 0, 0]}\n"
      "  xb: {measure: position, node: b, direction: [1, 0, 0]}\n"
      "loads:\n"
      "  a: {node: a, force: [1, 0, 0], signal: ua}\n"
      "  b: {node: b, force: [1, 0, 0], signal: ub}\n"
      "blocks:\n"
      "  pa: {type: gain, input: xa, gain: = -k}\n"
      "  pb: {type: gain, input: xb, gain: -30}\n";
  for (const std::string c : {"a", "b"}) {
    text += "  d" + c + ": {type: gain, input: x" + c + ".rate, gain: -12}\n";
    text += "  v" + c + ": {type: sum, inputs: [p" + c + ", d" + c + "]}\n";
    text += "  u" + c + ": {type: hold, input: v" + c + ", sample: 0.1}\n";
  }
  const SensitivityResult result = calcSensitivities(makerOf(text), {{"k", 30}}, {});
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  ASSERT_EQ(result.modes.size(), 2u);
  std::vector<Complex> slopes;
  for (const ModeSensitivity& mode : result.modes) slopes.push_back(find(mode, "k").derivative);
  if (std::abs(slopes[0]) > std::abs(slopes[1])) std::swap(slopes[0], slopes[1]);
  EXPECT_LT(std::abs(slopes[0]), 1e-9);
  expectNear(slopes[1], {0.012820512820512821, 0.082217961990747901}, 1e-7);
}

}  // namespace
}  // namespace flexloop::study
