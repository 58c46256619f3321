// Blocks without states: values, partial derivatives, derivatives in time, and what is refused.
#include "control/algebra/algebra.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "control/algebra/formula_block.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using control::Block;
using math::Taylor2;

// The outputs of a block for given inputs, and their partial derivatives.
struct Evaluation {
  Evaluation(const Block& block, const std::vector<double>& u, double t = 0.0)
      : y(block.size().outputs), J(Eigen::MatrixXd::Zero(block.size().outputs, u.size())) {
    const control::BlockPorts<double> ports{t, {}, u, nullptr, nullptr, {}, y};
    block.calc(ports);
    block.calcPartials(ports, J);
  }
  std::vector<double> y;
  Eigen::MatrixXd J;
};

Taylor2 along(const Block& block, const std::vector<Taylor2>& u, double t) {
  std::vector<Taylor2> y(1);
  block.calcAlong({Taylor2(t, 1.0, 0.0), {}, u, nullptr, nullptr, {}, y});
  return y[0];
}

TEST(Algebra, AProductHasTheDerivativesOfTheProductRule) {
  const control::Product product(3);
  const Evaluation at(product, {2.0, -3.0, 0.5});
  EXPECT_DOUBLE_EQ(at.y[0], -3.0);
  EXPECT_EQ(at.J, (Eigen::MatrixXd(1, 3) << -1.5, 1.0, -6.0).finished());
  // t · t² · 2 at t = 3: 2 t³ with 6 t² and 12 t.
  const Taylor2 y = along(product, {{3.0, 1.0, 0.0}, {9.0, 6.0, 2.0}, {2.0}}, 3.0);
  EXPECT_DOUBLE_EQ(y.value, 54.0);
  EXPECT_DOUBLE_EQ(y.first, 54.0);
  EXPECT_DOUBLE_EQ(y.second, 36.0);
}

TEST(Algebra, AGainIsAMatrix) {
  const control::Gain gain((Eigen::MatrixXd(2, 3) << 1, 0, 2, 0, 3, -1).finished());
  const Evaluation at(gain, {1.0, 2.0, 3.0});
  EXPECT_EQ(at.y, (std::vector<double>{7.0, 3.0}));
  EXPECT_FALSE(gain.uses(0, 1));
  EXPECT_TRUE(gain.uses(1, 1));
}

TEST(Algebra, ARatioHasNoValueWhereItDividesByZero) {
  const control::Ratio ratio;
  const Evaluation at(ratio, {3.0, 2.0});
  EXPECT_DOUBLE_EQ(at.y[0], 1.5);
  EXPECT_EQ(at.J, (Eigen::MatrixXd(1, 2) << 0.5, -0.75).finished());
  EXPECT_FALSE(std::isfinite(Evaluation(ratio, {3.0, 0.0}).y[0]));
  EXPECT_FALSE(std::isfinite(Evaluation(ratio, {0.0, 0.0}).y[0]));
}

TEST(Algebra, AFormulaOfSignalsIsDifferentiatedExactly) {
  const math::NameIndex names{"t", "a", "b", "unused"};
  const control::FormulaBlock block(math::Expression::parse("a*sin(b) + t", names).value(), 3);
  const Evaluation at(block, {2.0, 0.7, 5.0}, 4.0);
  EXPECT_NEAR(at.y[0], 2 * std::sin(0.7) + 4, 1e-15);
  EXPECT_NEAR(at.J(0, 0), std::sin(0.7), 1e-15);
  EXPECT_NEAR(at.J(0, 1), 2 * std::cos(0.7), 1e-15);
  EXPECT_FALSE(block.uses(0, 2));
  // a = t², b = 3t at t = 1.5: (t² sin 3t + t)' = 2t sin 3t + 3t² cos 3t + 1, and its derivative
  // 2 sin 3t + 12t cos 3t − 9t² sin 3t.
  const double s = std::sin(4.5), c = std::cos(4.5);
  const Taylor2 y = along(block, {{2.25, 3.0, 2.0}, {4.5, 3.0, 0.0}, {0.0}}, 1.5);
  EXPECT_NEAR(y.value, 2.25 * s + 1.5, 1e-14);
  EXPECT_NEAR(y.first, 3 * s + 6.75 * c + 1, 1e-14);
  EXPECT_NEAR(y.second, 2 * s + 18 * c - 20.25 * s, 1e-13);
}

// A cart at rest at x = 2, y = 3.
std::string cartAnd(const std::string& blocks) {
  return R"(
parameters: {a: 100, k: 10}
nodes: {cart: {position: [2, 3, 0], free: [x, y]}}
bodies: {cart: {node: cart, mass: 1}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  q-2: {measure: position, node: cart, direction: [0, 1, 0]}
blocks:
)" + blocks;
}

constexpr const char* kTime = "end: 0.02, step: 0.01";

TEST(Algebra, BlocksAreWiredByName) {
  const ModelRun run = runModel(cartAnd(R"(
  prod: {type: product, inputs: [p, -q-2, 0.5]}
  quot: {type: ratio, numerator: q-2, denominator: p}
  K: {type: gain, inputs: [p, -q-2], gain: [[1, 10], [2, 0]]}
  L: {type: gain, input: p, gain: [[1], [3]], outputs: [one, three]}
  root: {type: function, input: p, function: sqrt}
  sq: {type: function, input: q-2, function: square}
)"),
                                "prod, quot, K.1, K.2, L.one, L.three, root, sq", kTime);
  EXPECT_NEAR(run.last("prod"), -3.0, 1e-12);
  EXPECT_NEAR(run.last("quot"), 1.5, 1e-12);
  EXPECT_NEAR(run.last("K.1"), -28.0, 1e-12);
  EXPECT_NEAR(run.last("K.2"), 4.0, 1e-12);
  EXPECT_NEAR(run.last("L.one"), 2.0, 1e-12);
  EXPECT_NEAR(run.last("L.three"), 6.0, 1e-12);
  EXPECT_NEAR(run.last("root"), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(run.last("sq"), 9.0, 1e-12);
}

// The name of an input wins over a parameter of the model; other parameters are known.
TEST(Algebra, AFormulaKnowsItsInputsTheTimeAndTheParameters) {
  const ModelRun run = runModel(cartAnd(R"(
  g: {type: gain, inputs: [p, p], gain: [[1, 0], [0, 4]]}
  f1: {type: expression, value: "= a*k + max(b, c) + t", inputs: {a: p, b: -q-2, c: 0.5}}
  f2: {type: expression, value: "= p*g.2 + p.rate + a", inputs: [p, g.2, p.rate]}
)"),
                                "f1, f2", kTime);
  EXPECT_NEAR(run.last("f1"), 2 * 10 + 0.5 + 0.02, 1e-12);
  EXPECT_NEAR(run.last("f2"), 2 * 8 + 0 + 100, 1e-12);
}

TEST(Algebra, AStepThatDividesByZeroFailsWithTheNameOfTheBlock) {
  const ModelRun run = tryModel(cartAnd(R"(
  fall: {type: expression, value: "= t < 0.015 ? 1 : 0"}
  quotient: {type: ratio, numerator: p, denominator: fall}
)"),
                                "quotient", kTime);
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "'quotient' has no value"));
  EXPECT_TRUE(says(run.report.failure->hint, "the inputs of 'quotient'"));
  const ModelRun atOnce =
      tryModel(cartAnd("  log: {type: function, input: -1, function: log}\n"), "log", kTime);
  EXPECT_TRUE(says(messageOf(atOnce.report.failure), "'log' has no value"));
  EXPECT_TRUE(says(atOnce.report.failure->hint, "the inputs of 'log'"));
}

TEST(Algebra, WrongBlocksAreRefused) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    EXPECT_TRUE(says(mistakesOf(cartAnd("  y: {" + block + "}\n")), message));
  };
  expectTold("type: gain, gain: 2", "either 'input'");
  expectTold("type: gain, input: p, inputs: [p], gain: 2", "either 'input'");
  expectTold("type: gain, inputs: [p, p], gain: 2", "1 columns for 2 inputs");
  expectTold("type: gain, input: p, gain: [[1], [2]], outputs: [u]",
             "1 names, but the gain has 2 rows");
  expectTold("type: gain, input: p, gain: [[1], [2]], outputs: [u, u]", "named twice");
  expectTold("type: gain, input: p, gain: [[1], [2]], outputs: [u, 2w]", "'2w' cannot be the name");
  expectTold("type: function, input: p, function: sn", "sn");
  expectTold("type: ratio, numerator: p", "'denominator' is missing");
  expectTold("type: expression, value: '= p*2'", "listed in 'inputs'");
  expectTold("type: expression, value: '= p*u', inputs: [p]", "unknown name 'u'");
  expectTold("type: expression, value: '= 2', inputs: [p, p]", "'p' is given twice");
  expectTold("type: expression, value: '= 2', inputs: [q-2]", "{a: q-2}");
  expectTold("type: expression, value: '= 2', inputs: [0.5]", "cannot be used as a name");
  expectTold("type: expression, value: '= 2', inputs: {t: p}", "'t' is reserved for time");
  expectTold("type: expression, value: '= a', inputs: {a: pp}", "unknown signal 'pp'");
  expectTold("type: expression, value: '= a', inputs: {a: [p]}", "the name of a signal");
}

}  // namespace
}  // namespace flexloop::test
