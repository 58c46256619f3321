#include "analysis/linear/effective_matrices.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop {
namespace {

using analysis::ModeMethod;
using analysis::ModeResult;
using Complex = std::complex<double>;

ModeResult findModes(const model::Model& model, ModeMethod method,
                     const analysis::LinearView& view = {}) {
  const auto point = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(point.ok()) << messageOf(point.failure);
  analysis::ModeOptions options;
  options.method = method;
  options.view = view;
  return analysis::findModes(model, point.state, options);
}

std::vector<Complex> nonZeroRoots(const ModeResult& result) {
  std::vector<Complex> roots;
  for (const analysis::Mode& mode : result.modes) {
    if (mode.eigenvalue != 0.0) roots.push_back(mode.eigenvalue);
  }
  return roots;
}

void expectRoots(const ModeResult& result, const std::vector<Complex>& expected,
                 double tolerance = 1e-9) {
  EXPECT_TRUE(result.ok()) << messageOf(result.failure);
  const std::vector<Complex> roots = nonZeroRoots(result);
  ASSERT_EQ(roots.size(), expected.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_LT(std::abs(roots[i] - expected[i]), tolerance * std::abs(expected[i]))
        << roots[i] << " instead of " << expected[i];
  }
}

// models/three_mass_chain with the controller in full.
std::string chain(const std::string& input, double kp, double ki, double kd, double c) {
  const auto number = [](double value) { return std::to_string(value); };
  return "nodes:\n"
         "  m1: {position: [1, 0, 0], free: [x]}\n"
         "  m2: {position: [2, 0, 0], free: [x]}\n"
         "  m3: {position: [3, 0, 0], free: [x]}\n"
         "bodies: {m1: {node: m1, mass: 1}, m2: {node: m2, mass: 1}, m3: {node: m3, mass: 1}}\n"
         "springs:\n"
         "  k1: {type: linear, between: [ground, m1], direction: [1, 0, 0], stiffness: 100, "
         "damping: " +
         number(c) +
         "}\n"
         "  k2: {type: linear, between: [m1, m2], direction: [1, 0, 0], stiffness: 100, damping: " +
         number(c) +
         "}\n"
         "  k3: {type: linear, between: [m2, m3], direction: [1, 0, 0], stiffness: 100, damping: " +
         number(c) +
         "}\n"
         "sensors:\n"
         "  x1: {measure: displacement, node: m1, direction: [1, 0, 0]}\n"
         "  v1: {measure: velocity, node: m1, direction: [1, 0, 0]}\n"
         "blocks: {law: {type: pid, input: " +
         input + ", kp: " + number(kp) + ", ki: " + number(ki) + ", kd: " + number(kd) +
         "}}\n"
         "actuators: {motor: {type: force, node: m3, direction: [1, 0, 0], input: law}}\n";
}

analysis::EffectiveMatrices effectiveMatrices(const model::Model& model) {
  const auto point = analysis::findOperatingPoint(model, {});
  const auto linear = analysis::linearize(model, point.state);
  return analysis::makeEffectiveMatrices(model, linear,
                                         analysis::ControlSide(model.system(), linear));
}

// The gains of a position controller and of a velocity controller go where Bratland's figure puts them.
TEST(EffectiveMatrices, GainsStandInTheMatrixOfWhatIsMeasured) {
  const auto position = effectiveMatrices(test::buildModel(chain("x1", 80, 20, 0.5, 1)));
  ASSERT_TRUE(position.ok()) << messageOf(position.failure);
  EXPECT_NEAR(position.position.coeff(2, 0), 80.0, 1e-10);
  EXPECT_NEAR(position.integral.coeff(2, 0), 20.0, 1e-10);
  EXPECT_NEAR(position.velocity.coeff(2, 0), 0.5, 1e-13);
  EXPECT_EQ(position.acceleration.nonZeros(), 0);
  EXPECT_EQ(position.integral.nonZeros(), 1);
  EXPECT_EQ(position.integrating, "motor");
  EXPECT_NEAR(position.K.coeff(2, 0), 80.0, 1e-10);
  EXPECT_NEAR(position.K.coeff(0, 0), 200.0, 1e-10);

  const auto velocity = effectiveMatrices(test::buildModel(chain("v1", 0, 50, 0.3, 0)));
  ASSERT_TRUE(velocity.ok()) << messageOf(velocity.failure);
  EXPECT_NEAR(velocity.position.coeff(2, 0), 50.0, 1e-11);
  EXPECT_NEAR(velocity.acceleration.coeff(2, 0), 0.3, 1e-14);
  EXPECT_EQ(velocity.velocity.nonZeros(), 0);
  EXPECT_EQ(velocity.integral.nonZeros(), 0);
  EXPECT_EQ(velocity.integrating, "");
  EXPECT_NEAR(velocity.M.coeff(2, 0), 0.3, 1e-14);
}

// Roots of s³M + s²C + sK + Q, by numpy from its 9×9 companion matrix.
TEST(EffectiveMatrices, PositionPidOfTheChainBySolvingTheCubicProblem) {
  const model::Model model = test::buildModel(chain("x1", 80, 20, 0.5, 1));
  const std::vector<Complex> expected = {{-0.1111682976, 0.0},
                                         {-0.0503453554, 6.7752500344},
                                         {-0.7295139095, 10.7366984524},
                                         {-1.6645565863, 18.3202332501}};
  expectRoots(findModes(model, ModeMethod::kThird), expected);
  expectRoots(findModes(model, ModeMethod::kThird),
              nonZeroRoots(findModes(model, ModeMethod::kFull)), 1e-11);
  const ModeResult refused = findModes(model, ModeMethod::kSecond);
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure->kind, base::FailureKind::kInput);
  EXPECT_NE(messageOf(refused.failure).find("'motor'"), std::string::npos)
      << messageOf(refused.failure);
  EXPECT_NE(refused.failure->hint.find("3n"), std::string::npos);
}

// ω² in closed form for kd = 0.5: 100 (1 ∓ 1/√2) and 300.
TEST(EffectiveMatrices, VelocityPidOfTheChainWithoutDamping) {
  const model::Model model = test::buildModel(chain("v1", 0, 50, 0.5, 0));
  const std::vector<Complex> expected = {{0.0, 10.0 * std::sqrt(1.0 - std::sqrt(0.5))},
                                         {0.0, 10.0 * std::sqrt(1.0 + std::sqrt(0.5))},
                                         {0.0, std::sqrt(300.0)}};
  for (const ModeMethod method :
       {ModeMethod::kUndamped, ModeMethod::kSecond, ModeMethod::kThird, ModeMethod::kFull}) {
    expectRoots(findModes(model, method), expected, 1e-12);
  }
  EXPECT_EQ(findModes(model, ModeMethod::kUndamped).modes.front().eigenvalue.real(), 0.0);
}

std::string mass(const std::string& spring, const std::string& gains) {
  return "nodes: {mass: {position: [0, 0, 0], free: [x]}}\n"
         "bodies: {mass: {node: mass, mass: 1}}\n"
         "springs: {wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], " +
         spring +
         "}}\n"
         "sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}\n"
         "blocks: {law: {type: pid, input: x, " +
         gains +
         "}}\n"
         "actuators: {motor: {type: force, node: mass, direction: [1, 0, 0], input: law}}\n";
}

// s³ + 10 s² + 16 s + 160 = (s² + 16)(s + 10)
TEST(EffectiveMatrices, IntegralGainAtTheLimitOfStability) {
  const model::Model model =
      test::buildModel(mass("stiffness: 12, damping: 8", "kp: 4, ki: 160, kd: 2"));
  expectRoots(findModes(model, ModeMethod::kThird), {{-10.0, 0.0}, {0.0, 4.0}}, 1e-11);
  // Damping and integral are left out: ω² = 12 + 4.
  expectRoots(findModes(model, ModeMethod::kUndamped), {{0.0, 4.0}}, 1e-13);
}

TEST(EffectiveMatrices, PdServo) {
  const model::Model model =
      test::buildModel(mass("stiffness: 100, damping: 7.2", "kp: 44, kd: 4.8"));
  for (const ModeMethod method : {ModeMethod::kSecond, ModeMethod::kThird}) {
    expectRoots(findModes(model, method), {{-6.0, std::sqrt(108.0)}}, 1e-12);
  }
  expectRoots(findModes(model, ModeMethod::kUndamped), {{0.0, 12.0}}, 1e-13);
}

// ω² = k + kp = −44: the growing root is told.
TEST(EffectiveMatrices, ControllerThatPushesAwayBuckles) {
  const model::Model model = test::buildModel(mass("stiffness: 100", "kp: -144"));
  const ModeResult result = findModes(model, ModeMethod::kUndamped);
  expectRoots(result, {{std::sqrt(44.0), 0.0}}, 1e-13);
  EXPECT_FALSE(result.modes.front().isStable());
}

TEST(EffectiveMatrices, ShapesHaveTheirSignals) {
  const model::Model model =
      test::buildModel(mass("stiffness: 12, damping: 8", "kp: 4, ki: 80, kd: 2"));
  const ModeResult third = findModes(model, ModeMethod::kThird);
  const int motor = model.findSignal("motor")->value;
  for (const analysis::Mode& mode : third.modes) {
    const Complex s = mode.eigenvalue;
    EXPECT_LT(std::abs(mode.shape[motor] + 4.0 + 80.0 / s + 2.0 * s), 1e-11 * std::abs(80.0 / s));
    EXPECT_LT(mode.residual, 1e-12);
  }
}

TEST(EffectiveMatrices, RefusesAFilterByTheNamesOfLoopAndState) {
  const model::Model model =
      test::buildModel(mass("stiffness: 100", "kp: 44, kd: 4.8, filter: 1 ms"));
  for (const ModeMethod method : {ModeMethod::kUndamped, ModeMethod::kSecond, ModeMethod::kThird}) {
    const ModeResult result = findModes(model, method);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.failure->kind, base::FailureKind::kInput);
    EXPECT_NE(messageOf(result.failure).find("the loop of 'motor' is not PID-like"),
              std::string::npos)
        << messageOf(result.failure);
    EXPECT_NE(messageOf(result.failure).find("law"), std::string::npos)
        << messageOf(result.failure);
    EXPECT_NE(result.failure->hint.find("--method full"), std::string::npos);
  }
  EXPECT_TRUE(findModes(model, ModeMethod::kFull).ok());
}

// A hinged bar with a PD servo: constraints keep their multipliers. J = m L²/3 = 3 about the hinge.
TEST(EffectiveMatrices, ConstraintsStay) {
  const model::Model model = test::buildModel(
      "nodes: {bar: [0.5, 0, 0]}\n"
      "bodies: {bar: {node: bar, mass: 9, inertia: [1, 0.75, 0.75]}}\n"
      "joints: {hinge: {type: hinge, between: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "sensors: {turn: {measure: angle, joint: hinge}}\n"
      "blocks: {law: {type: pid, input: turn, kp: 75, kd: 6}}\n"
      "actuators: {motor: {type: torque, joint: hinge, input: law}}\n");
  expectRoots(findModes(model, ModeMethod::kSecond), {{-1.0, std::sqrt(24.0)}}, 1e-11);
  expectRoots(findModes(model, ModeMethod::kUndamped), {{0.0, 5.0}}, 1e-12);
}

}  // namespace
}  // namespace flexloop
