// Sources: values, exact derivatives, breaks, and what is refused.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "control/sources/time_functions.hpp"
#include "support/built_sample.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using control::Table;
using math::Taylor2;

void expectSame(const Taylor2& is, double value, double first, double second) {
  EXPECT_NEAR(is.value, value, 1e-13);
  EXPECT_NEAR(is.first, first, 1e-13);
  EXPECT_NEAR(is.second, second, 1e-12);
}

TEST(Sources, StepFromItsTimeOn) {
  const control::Step step(0.5, -1.0, 2.0);
  expectSame(step.at(std::nextafter(0.5, 0.0)), -1.0, 0.0, 0.0);
  expectSame(step.at(0.5), 2.0, 0.0, 0.0);
  EXPECT_EQ(step.breaks(), std::vector<double>{0.5});
}

TEST(Sources, GrowBetweenStartAndEnd) {
  const control::Ramp ramp(1.0, -2.0, 0.5, 2.0);
  expectSame(ramp.at(0.2), 1.0, 0.0, 0.0);
  expectSame(ramp.at(1.0), 0.0, -2.0, 0.0);
  expectSame(ramp.at(3.0), -2.0, 0.0, 0.0);
  EXPECT_EQ(ramp.breaks(), (std::vector<double>{0.5, 2.0}));
  const control::Ramp endless(0.0, 1.0, 0.5, std::numeric_limits<double>::infinity());
  EXPECT_EQ(endless.breaks(), std::vector<double>{0.5});
}

TEST(Sources, OscillateWithTheirDerivatives) {
  const control::Sine sine(0.5, 2.0, 3.0, 0.4);
  const double phase = 3.0 * 0.7 + 0.4;
  expectSame(sine.at(0.7), 0.5 + 2 * std::sin(phase), 6 * std::cos(phase), -18 * std::sin(phase));
}

TEST(Sources, GoStraightThroughATable) {
  const Table table({1.0, 2.0, 4.0}, {0.0, 1.0, -1.0}, Table::Shape::kLinear);
  expectSame(table.at(0.0), 0.0, 0.0, 0.0);
  expectSame(table.at(1.5), 0.5, 1.0, 0.0);
  expectSame(table.at(2.0), 1.0, -1.0, 0.0);
  expectSame(table.at(3.0), 0.0, -1.0, 0.0);
  expectSame(table.at(9.0), -1.0, 0.0, 0.0);
  EXPECT_EQ(table.breaks(), (std::vector<double>{1.0, 2.0, 4.0}));
  expectSame(Table({2.0}, {7.0}, Table::Shape::kLinear).at(1.0), 7.0, 0.0, 0.0);
}

// The natural spline through (0,0), (1,1), (2,0): its second derivative in the middle is −3.
TEST(Sources, GoSmoothlyThroughATable) {
  const Table table({0.0, 1.0, 2.0}, {0.0, 1.0, 0.0}, Table::Shape::kSmooth);
  expectSame(table.at(0.5), 0.6875, 1.125, -1.5);
  expectSame(table.at(1.0), 1.0, 0.0, -3.0);
  expectSame(table.at(1.5), 0.6875, -1.125, -1.5);
}

// On data with uneven distances: value, slope and curvature have no jump at the inner points, and
// the curvature vanishes at the ends.
TEST(Sources, HaveContinuousCurvature) {
  const std::vector<double> times{0.0, 0.3, 1.0, 1.2, 2.5}, values{0.0, 2.0, -1.0, 0.5, 0.7};
  const Table table(times, values, Table::Shape::kSmooth);
  const double tiny = 1e-9;
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    const Taylor2 before = table.at(times[i] - tiny), after = table.at(times[i]);
    EXPECT_NEAR(after.value, values[i], 1e-14);
    EXPECT_NEAR(before.first, after.first, 1e-6);
    EXPECT_NEAR(before.second, after.second, 1e-5);
  }
  EXPECT_NEAR(table.at(0.0).second, 0.0, 1e-12);
  EXPECT_NEAR(table.at(2.5 - tiny).second, 0.0, 1e-6);
}

std::string mistakesOfSource(const std::string& block) {
  return mistakesOf("blocks: {s: {" + block + "}}\n");
}

TEST(Sources, AreRefusedWhereTheyMakeNoSense) {
  const auto expectTold = [](const std::string& block, const std::string& message) {
    EXPECT_TRUE(says(mistakesOfSource(block), message));
  };
  expectTold("type: table, time: [0, 1], value: [0, 1, 2]", "2 entries");
  expectTold("type: table, time: [0, 1, 1], value: [0, 1, 2]", "do not increase at entry 3");
  expectTold("type: sine, amplitude: 2", "'frequency'");
  expectTold("type: ramp, slope: 1, limit: -1", "never reaches");
  expectTold("type: ramp, slope: 1, end: 2, limit: 1", "cannot be combined");
  expectTold("type: ramp, slope: 1, start: 3, end: 2", "before 'start'");
  expectTold("type: expression, value: 2*u", "u");
  EXPECT_EQ(mistakesOfSource("type: expression, value: '= 2*t'"), "");
}

TEST(Sources, CollectBreaks) {
  const BuiltSample built = buildSample(R"(flexloop: 1
nodes: {A: [0, 0, 0]}
blocks:
  late: {type: step, at: 2}
  early: {type: table, time: [0, 0.5, 2], value: [0, 1, 0]}
)");
  EXPECT_EQ(built.system.breaks(), (std::vector<double>{0.0, 0.5, 2.0}));
}

}  // namespace
}  // namespace flexloop::test
