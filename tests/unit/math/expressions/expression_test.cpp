#include "math/expressions/expression.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::math {
namespace {

double evaluate(const std::string& text, const NameIndex& names = {},
                const std::vector<double>& values = {}) {
  const base::Result<Expression> expression = Expression::parse(text, names);
  EXPECT_TRUE(expression) << text << ": " << (expression ? "" : expression.failure().message);
  return expression ? expression.value().evaluate<double>(values) : std::nan("");
}

TEST(ExpressionTest, FollowsTheUsualPrecedence) {
  const std::vector<std::pair<std::string, double>> cases{{"1 + 2*3", 7},
                                                          {"(1 + 2)*3", 9},
                                                          {"8/4/2", 1},
                                                          {"7 - 2 - 1", 4},
                                                          {"2^3^2", 512},
                                                          {"-2^2", -4},
                                                          {"2^-1", 0.5},
                                                          {"--3", 3},
                                                          {"+4", 4},
                                                          {"2*-3", -6},
                                                          {".5 + 5.", 5.5},
                                                          {"1e-3*2E3", 2},
                                                          {"1 < 2", 1},
                                                          {"2 <= 1", 0},
                                                          {"1 != 2", 1},
                                                          {"2 >= 2", 1},
                                                          {"1 || 0 && 0", 1},
                                                          {"!0 + 1", 2},
                                                          {"!(1 == 2)", 1},
                                                          {"0 ? 1 : 0 ? 2 : 3", 3},
                                                          {"if(2 > 1, 5, 6)", 5},
                                                          {"1 + 1 == 2 ? 4 : 5", 4},
                                                          {" \t1\n+ 1 ", 2},
                                                          {"5 && 3", 1},
                                                          {"0 || 7", 1}};
  for (const auto& [text, expected] : cases) {
    EXPECT_DOUBLE_EQ(evaluate(text), expected) << text;
  }
}

TEST(ExpressionTest, KnowsFunctionsAndConstants) {
  const std::vector<std::pair<std::string, double>> cases{{"sin(pi/6)", 0.5},
                                                          {"cos(0)", 1},
                                                          {"tan(pi/4)", 1},
                                                          {"asin(1)", std::numbers::pi / 2},
                                                          {"acos(1)", 0},
                                                          {"atan(1)*4", std::numbers::pi},
                                                          {"atan2(1, -1)", 0.75 * std::numbers::pi},
                                                          {"sinh(1)", std::sinh(1.0)},
                                                          {"cosh(1)", std::cosh(1.0)},
                                                          {"tanh(1)", std::tanh(1.0)},
                                                          {"exp(1) - e", 0},
                                                          {"log(e)", 1},
                                                          {"log10(1000)", 3},
                                                          {"sqrt(16)", 4},
                                                          {"abs(-3)", 3},
                                                          {"sign(-2)", -1},
                                                          {"sign(0)", 0},
                                                          {"min(3, 2)", 2},
                                                          {"max(3, 2, 7, 1)", 7},
                                                          {"min(4, 3, 5)", 3},
                                                          {"floor(-1.5)", -2},
                                                          {"ceil(1.2)", 2},
                                                          {"round(2.5)", 3},
                                                          {"mod(-1, 3)", 2},
                                                          {"mod(7, 3)", 1},
                                                          {"hypot(3, 4)", 5},
                                                          {"pow(2, 10)", 1024}};
  for (const auto& [text, expected] : cases) EXPECT_NEAR(evaluate(text), expected, 1e-14) << text;
}

TEST(ExpressionTest, NamesMayHaveDotsAndWinOverConstants) {
  const NameIndex names{"theta1.rate", "e", "θ"};
  EXPECT_DOUBLE_EQ(evaluate("2*theta1.rate + e*10 + θ", names, {3, 5, 0.5}), 56.5);
  const Expression expression = Expression::parse("e + 1", names).value();
  EXPECT_TRUE(expression.uses(1));
  EXPECT_FALSE(expression.uses(0));
}

TEST(ExpressionTest, OnlyTheChosenBranchIsEvaluated) {
  const NameIndex names{"x"};
  const Expression sinc = Expression::parse("x == 0 ? 1 : sin(x)/x", names).value();
  const Dual<1> atZero = Dual<1>::variable(0.0, 0);
  const Dual<1> result = sinc.evaluate<Dual<1>>(std::span(&atZero, 1));
  EXPECT_EQ(result.value, 1.0);
  EXPECT_EQ(result.d[0], 0.0);
}

// Central differences of the plain value are the independent truth.
class DerivativeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DerivativeTest, AgreeWithDifferences) {
  const NameIndex names{"x", "y"};
  const Expression expression = Expression::parse(GetParam(), names).value();
  const auto x = [](double t) { return 0.7 + 0.3 * t + 0.2 * t * t; };
  const auto y = [](double t) { return 1.3 - 0.5 * t + 0.1 * t * t; };
  const auto f = [&](double t) {
    const std::vector<double> values{x(t), y(t)};
    return expression.evaluate<double>(values);
  };
  const double h = 1e-3;
  const double first = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  const double second = (16 * (f(h) + f(-h)) - (f(2 * h) + f(-2 * h)) - 30 * f(0)) / (12 * h * h);

  const std::vector<Taylor2> motion{{0.7, 0.3, 0.4}, {1.3, -0.5, 0.2}};
  const Taylor2 taylor = expression.evaluate<Taylor2>(motion);
  EXPECT_DOUBLE_EQ(taylor.value, f(0));
  EXPECT_NEAR(taylor.first, first, 1e-9 * (1 + std::abs(first)));
  EXPECT_NEAR(taylor.second, second, 1e-7 * (1 + std::abs(second)));

  const std::vector<Dual<2>> inputs{Dual<2>::variable(0.7, 0), Dual<2>::variable(1.3, 1)};
  const Dual<2> dual = expression.evaluate<Dual<2>>(inputs);
  EXPECT_DOUBLE_EQ(dual.value, f(0));
  EXPECT_NEAR(0.3 * dual.d[0] - 0.5 * dual.d[1], first, 1e-9 * (1 + std::abs(first)));
}

INSTANTIATE_TEST_SUITE_P(
    Functions, DerivativeTest,
    ::testing::Values("x + y", "x - y", "x*y", "x/y", "x^y", "x^3", "2^x", "-x^2", "sin(x*y)",
                      "cos(x + y)", "tan(x)", "asin(x)", "acos(x/y)", "atan(x*y)", "atan2(x, y)",
                      "sinh(x)", "cosh(y)", "tanh(x*y)", "exp(-x*y)", "log(x*y)", "log10(x + y)",
                      "sqrt(x*y)", "abs(-x*y)", "sign(x)*y", "min(x, y)*x", "max(x, y, x*y)",
                      "floor(x)*y", "ceil(x)*y", "round(x)*y", "mod(3*x, y)", "mod(x, 0.5)",
                      "hypot(x, y)", "pow(y, x)", "x < y ? x^2 : y", "if(x > y, x, sin(y))",
                      "(x < y) && x*y", "x*(y > 1 || x)"));

TEST(ExpressionTest, ConstantArgumentsDoNotSpoilDerivatives) {
  const NameIndex names{"x", "n"};
  // d/dx x^n at negative x with a constant n needs no logarithm; sqrt of a constant zero stands
  // still.
  const std::vector<Dual<1>> values{Dual<1>::variable(-2.0, 0), Dual<1>(3.0)};
  const Expression cube = Expression::parse("x^n + sqrt(0*n)", names).value();
  const Dual<1> result = cube.evaluate<Dual<1>>(values);
  EXPECT_EQ(result.value, -8.0);
  EXPECT_EQ(result.d[0], 12.0);

  const std::vector<Taylor2> atZero{{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
  const Expression powers = Expression::parse("x^1 + x^2 + x^3 + x^0", names).value();
  const Taylor2 taylor = powers.evaluate<Taylor2>(atZero);
  EXPECT_EQ(taylor.value, 1.0);
  EXPECT_EQ(taylor.first, 1.0);
  EXPECT_EQ(taylor.second, 2.0);
}

struct BadExpression {
  std::string text;
  std::string message;
  std::string hint;
};

// Values of parameters stand in formulas with their units, and keep every digit.
TEST(ExpressionTest, ConstantsMayHaveUnits) {
  for (const double value : {0.1, -2.5e-300, 1.0 / 3.0}) {
    const std::string text = "2*" + writeConstant(value, base::kForce) + "^1";
    const auto expression = Expression::parse(text, {});
    ASSERT_TRUE(expression) << text;
    EXPECT_EQ(expression.value().evaluate<double>({}), 2.0 * value);
    EXPECT_TRUE(findExpressionNames(text).value().empty());
  }
}

TEST(ExpressionTest, ErrorsNameTheColumn) {
  const NameIndex names{"length", "omega", "theta1.rate"};
  const std::vector<BadExpression> cases{
      {"", "the expression is empty at column 1", ""},
      {"1 + ", "expected a number, a name or a parenthesis, found the end at column 5", ""},
      {"2*lenght", "unknown name 'lenght' at column 3", "did you mean 'length'?"},
      {"theta1.rat", "unknown name 'theta1.rat' at column 1", "did you mean 'theta1.rate'?"},
      {"sine(1)", "unknown function 'sine' at column 1", "did you mean 'sin'?"},
      {"sqt(1)", "unknown function 'sqt' at column 1", "did you mean 'sqrt'?"},
      {"1 + sin", "the function 'sin' needs its arguments in parentheses at column 5", ""},
      {"sin(1, 2)", "'sin' takes one argument, not 2 at column 1", ""},
      {"atan2(1)", "'atan2' takes two arguments, not 1 at column 1", ""},
      {"min()", "'min' takes two arguments, not 0 at column 1", ""},
      {"(1 + 2", "expected ')' to close a parenthesis, found the end at column 7", ""},
      {"1 + 2)", "expected an operator, found ')' at column 6", "it has no matching '('"},
      {"2 omega", "expected an operator, found 'omega' at column 3",
       "write '*' between factors; an expression has no units, its values are SI"},
      {"2 + 3 [mm]", "expected an operator, found '[' at column 7",
       "an expression has no units, its values are SI"},
      {"omega = 2", "expected an operator, found '=' at column 7", "equality is written '=='"},
      {"1 & 1", "expected an operator, found '&' at column 3", "'and' is written '&&'"},
      {"1 | 1", "expected an operator, found '|' at column 3", "'or' is written '||'"},
      {"2**3", "unexpected '**' at column 2", "a power is written '^'"},
      {"1 < 2 < 3", "comparisons cannot be chained at column 7", "write 'a < b && b < c'"},
      {"1 ? 2", "expected ':' between the two branches of '?', found the end at column 6", ""},
      {"if(1, 2)", "expected ',' between the two branches of 'if', found ')' at column 8", ""},
      {"1e999", "the number '1e999' is out of range at column 1", ""},
      {".", "'.' is not a number at column 1", ""},
      {"$", "expected a number, a name or a parenthesis, found '$' at column 1", ""}};
  for (const BadExpression& bad : cases) {
    const base::Result<Expression> result = Expression::parse(bad.text, names);
    ASSERT_FALSE(result) << bad.text;
    EXPECT_EQ(result.failure().message, bad.message) << bad.text;
    EXPECT_EQ(result.failure().hint, bad.hint) << bad.text;
  }
}

TEST(ExpressionTest, DeepNestingIsRefusedNotFatal) {
  const std::string many(100000, '(');
  for (const std::string& text : {many, std::string(100000, '-') + "1", std::string(100000, '!')}) {
    const base::Result<Expression> result = Expression::parse(text, {});
    ASSERT_FALSE(result);
    EXPECT_NE(result.failure().message.find("nested too deeply"), std::string::npos);
  }
  std::string powers = "1", sums, tail, branches;
  for (int i = 0; i < 10000; ++i) powers += "^1";
  for (int i = 0; i < 90; ++i) sums += "1+(", tail += ")";
  for (int i = 0; i < 10000; ++i) branches += "1 ? 1 : ";
  EXPECT_FALSE(Expression::parse(powers, {}));
  EXPECT_FALSE(Expression::parse(sums + "1" + tail, {}));
  EXPECT_FALSE(Expression::parse(branches + "1", {}));
}

TEST(ExpressionTest, LongFormulasAreFine) {
  std::string text = "1";
  for (int i = 0; i < 100000; ++i) text += " + 1";
  EXPECT_EQ(evaluate(text), 100001.0);
  std::string nested = "1";
  for (int i = 0; i < 40; ++i) nested.insert(0, "1+(").append(")");
  EXPECT_EQ(evaluate(nested), 41.0);  // needs the large stack
}

TEST(ExpressionTest, FindsTheNamesUsed) {
  const base::Result<std::vector<NameUse>> uses = findExpressionNames("2*L + sin(w*t)*a.b");
  ASSERT_TRUE(uses);
  ASSERT_EQ(uses.value().size(), 4u);
  EXPECT_EQ(uses.value()[1].name, "w");
  EXPECT_EQ(uses.value()[1].offset, 10u);
  EXPECT_EQ(uses.value()[3].name, "a.b");
  EXPECT_FALSE(findExpressionNames("2*"));
  EXPECT_TRUE(isExpressionName("k_1"));
  EXPECT_FALSE(isExpressionName("1k"));
  EXPECT_FALSE(isExpressionName("a.b"));
  EXPECT_FALSE(isExpressionName(""));
}

}  // namespace
}  // namespace flexloop::math
