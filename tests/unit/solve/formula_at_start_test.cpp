// Equations of states without a value or a slope at the start: the message names them, and asks for no mass.
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string failureOf(const std::string& formula) {
  const ModelRun run = tryModel(
      "blocks:\n  plant: {type: equations, states: {x: 0, v: 0}, "
      "derivatives: {x: \"= v\", v: \"= " +
          formula + "\"}, outputs: {y: \"= x\"}}\n",
      "plant.y", "end: 1, step: 1 ms");
  return run.report.failure ? run.report.failure->message + run.report.failure->hint : "";
}

TEST(FormulaAtStart, WithoutAValueIsNamed) {
  for (const char* formula : {"1/x", "sqrt(-1 - x)", "log(x - 1)", "x/x"}) {
    const std::string text = failureOf(formula);
    EXPECT_TRUE(says(text, "the equation of 'plant state v' has no value with 'plant state x' = 0"))
        << formula;
    EXPECT_EQ(text.find("mass"), std::string::npos) << text;
  }
}

TEST(FormulaAtStart, WithoutASlopeIsNamed) {
  EXPECT_TRUE(says(failureOf("sqrt(x)"), "'plant state v' has no finite slope"));
}

}  // namespace
}  // namespace flexloop::test
