// Formulas of blocks that add a length to a mass.
#include "model/formula_units.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// What is said of a block on a cart and a pendulum.
std::string warningsOf(const std::string& block) {
  const model::Model model = buildModel(
      "parameters: {k: 100 N/m, m: 2 kg, L: 0.3 m, T: 0.5 s, n: 4, torque: 3 N*m}\n"
      "nodes: {a: [0, 0, 0], p: [0, 0, 1]}\n"
      "bodies:\n"
      "  cart: {node: a, mass: 1, inertia: [1, 1, 1]}\n"
      "  bob: {node: p, mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  rail: {type: slider, between: [ground, a], axis: [1, 0, 0]}\n"
      "  pin: {type: hinge, between: [ground, p], axis: [0, 1, 0]}\n"
      "sensors:\n"
      "  x: {measure: displacement, joint: rail}\n"
      "  v: {measure: velocity, node: a, direction: [1, 0, 0]}\n"
      "  phi: {measure: angle, joint: pin}\n"
      "actuators: {motor: {type: force, joint: rail, input: f}}\n"
      "blocks: {f: {" +
      block + "}}\n");
  return model.warnings().toText();
}
std::string warningsOfFormula(const std::string& formula) {
  return warningsOf("type: expression, value: \"= " + formula + "\", inputs: [x, v, x.rate, phi]");
}

TEST(FormulaUnits, LengthsAreNotAddedToSpeeds) {
  const std::string text = warningsOfFormula("n*sin(phi) - (x + v)");
  EXPECT_TRUE(says(text, "blocks.f.value: a length (m) and a velocity (m/s) cannot be added"));
  EXPECT_TRUE(says(text, "'x' is a length (m), 'v' is a velocity (m/s)"));
  EXPECT_TRUE(says(warningsOfFormula("-x - x.rate"), "cannot be subtracted"));
  EXPECT_TRUE(says(warningsOfFormula("min(x, v)"), "cannot be arguments of 'min' together"));
  EXPECT_TRUE(says(warningsOfFormula("sin(x)"), "the argument of 'sin' must be a number"));
}

// Parameters of the model keep their units.
TEST(FormulaUnits, ForcesAreNotAddedToMasses) {
  EXPECT_TRUE(says(warningsOfFormula("k*x + m"), "a force (N) and a mass (kg) cannot be added"));
  EXPECT_TRUE(says(warningsOfFormula("x < m ? 1 : 0"), "cannot be compared"));
  EXPECT_TRUE(says(warningsOfFormula("v/T + x"), "cannot be added"));
  EXPECT_TRUE(says(warningsOfFormula("k*L + torque"), "cannot be added"));
}

// In either of them, by whatever values it is reached.
TEST(FormulaUnits, BranchesAreFollowed) {
  for (const char* condition : {"x > 0", "x < 0", "v == 0"}) {
    EXPECT_TRUE(says(warningsOfFormula(std::string(condition) + " ? x + v : 0"), "added"));
    EXPECT_TRUE(says(warningsOfFormula(std::string(condition) + " ? 0 : x + v"), "added"));
  }
}

TEST(FormulaUnits, NamesInTheFormulaAreThoseOfItsInputs) {
  EXPECT_TRUE(says(warningsOf("type: expression, value: \"= a + b\", inputs: {a: x, b: -v}"),
                   "'a' is a length (m), 'b' is a velocity (m/s)"));
  EXPECT_EQ(warningsOf("type: expression, value: \"= x + v\", inputs: {x: v, v: x.rate}"), "");
}

TEST(FormulaUnits, OfEquationsToo) {
  const std::string head = "type: equations, inputs: {x: x, v: v}, states: {z: 0}, ";
  EXPECT_TRUE(says(warningsOf(head + "derivatives: {z: = x - v}, outputs: {y: = z}"),
                   "blocks.f.derivatives.z: a length (m) and a velocity (m/s)"));
  EXPECT_TRUE(says(warningsOf(head + "derivatives: {z: = x - z}, outputs: {y: = m*v + x}"),
                   "blocks.f.outputs.y: "));
}

// Gains without unit may have any; so may time, states and numbers.
TEST(FormulaUnits, WhatMayBeMeantIsNotWarnedOf) {
  for (const char* formula : {"3*x + 2*v",
                              "-k*x - 5*v",
                              "x + L",
                              "x + 0.05",
                              "x > 0 ? 1 : -1",
                              "n*x + v",
                              "t + x",
                              "sin(3*t) + x",
                              "sin(x/L) + phi",
                              "k*x + m*9.81",
                              "x^2 + L^2",
                              "sqrt(x^2 + L^2) - x",
                              "k*L^2*phi + torque",
                              "atan2(x, L) + phi",
                              "tanh(100*v) + x",
                              "x/L + v*T/L",
                              "abs(v)*T - x",
                              "0",
                              "max(x, 0.1)",
                              "m*v*v/L + k*x"}) {
    EXPECT_EQ(warningsOfFormula(formula), "") << formula;
  }
}

// The values of parameters are those that they had without units.
TEST(FormulaUnits, ChangeNoValues) {
  const ModelRun run = runModel(
      "parameters: {a: -3 mm, b: 40 deg, c: 2.5e-7 N*s/m}\n"
      "blocks: {y: {type: expression, value: \"= a^2 + 2*b - c*t\"}}\n",
      "y", "end: 1, step: 0.1");
  const double b = 40.0 / 180.0 * 3.14159265358979324;
  EXPECT_NEAR(run.last("y"), 9e-6 + 2.0 * b - 2.5e-7, 1e-15);
}

}  // namespace
}  // namespace flexloop::test
