// Signals that pass a level between two steps and come back: what latches there stays (docs/theory/15_discontinuous_blocks.md, section
// 15.7).
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/time/run_point.hpp"
#include "support/equilibrium_search.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kShares[] = {0.03, 0.2, 0.37, 0.5, 0.68, 0.81, 0.97};

std::string number(double value) {
  return writeNumber(value);
}

// A sine with its peak at `peak`, and what stays on once it has been above the level.
std::string makeSource(double frequency, double peak, double level) {
  return "blocks:\n"
         "  w: {type: sine, frequency: " +
         number(frequency) + ", phase: " + number(0.5 * kPi - 2.0 * kPi * frequency * peak) +
         "}\n"
         "  on: {type: relay, input: w, on_above: " +
         number(level) + ", off_below: -2}\n";
}

TEST(Touch, OfTheShortPeakOfASourceIsSeen) {
  for (const double frequency : {0.1, 1.0, 10.0}) {
    for (const double share : kShares) {
      for (const double width : {0.1, 0.01, 0.003}) {  // of a step
        SCOPED_TRACE(number(frequency) + " Hz, " + number(share) + ", " + number(width));
        const double step = 0.01, peak = (27.0 + share) * step, half = 0.5 * width * step;
        const double level = std::cos(2.0 * kPi * frequency * half);
        const ModelRun run = runModel(makeSource(frequency, peak, level), "w, on",
                                      "end: 0.32, step: " + number(step));
        EXPECT_EQ(run.last("on"), 1.0);
        ASSERT_EQ(run.interruptions().size(), 1u);
        // The first of its peaks.
        const double first = peak - std::floor(peak * frequency) / frequency;
        EXPECT_NEAR(run.interruptions().front(), first - half, 1e-3 * half);
      }
    }
  }
}

// It was not there.
TEST(Touch, OfWhatStaysBelowTheLevelIsNone) {
  for (const double share : kShares) {
    const double step = 0.01, peak = (27.0 + share) * step;
    const ModelRun run =
        runModel(makeSource(1.0, peak, 1.0 + 1e-12), "w, on", "end: 0.32, step: " + number(step));
    EXPECT_EQ(run.last("on"), 0.0);
    EXPECT_EQ(run.report.events, 0);
    EXPECT_TRUE(run.interruptions().empty());
  }
}

// A cart that is thrown against a constant force, x = t − t²/2, on which the time scheme is exact; one that has been beyond the level is
// pushed on.
std::string makeCart(double level) {
  return "nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
         "bodies: {cart: {node: cart, mass: 1}}\n"
         "sensors:\n"
         "  x: {measure: position, node: cart, direction: [1, 0, 0]}\n"
         "  v: {measure: velocity, node: cart, direction: [1, 0, 0]}\n"
         "loads: {push: {node: cart, force: [1, 0, 0], signal: u}}\n"
         "blocks: {u: {type: relay, input: x, on_above: " +
         number(level) + ", off_below: -9, on_value: 1, off_value: -1}}\n";
}

TEST(Touch, OfAMotionIsSeen) {
  for (const double share : kShares) {
    const double step = 1.0 / (31.0 + share), half = 0.02 * step;
    const ModelRun run =
        runModel(makeCart(0.5 - 0.5 * half * half), "x, v, u", "end: 2, step: " + number(step));
    EXPECT_EQ(run.last("u"), 1.0) << share;
    // From 1 − half on.
    EXPECT_NEAR(run.last("v"), half + 1.0 + half, 1e-6) << share;
  }
}

TEST(Touch, OfAMotionThatStaysBelowChangesNothing) {
  for (const double share : kShares) {
    const double step = 1.0 / (31.0 + share);
    const ModelRun run = runModel(makeCart(0.5 + 1e-9), "x, v, u", "end: 2, step: " + number(step));
    EXPECT_EQ(run.report.events, 0);
    EXPECT_NEAR(run.last("v"), -1.0, 1e-12);
    EXPECT_NEAR(run.last("x"), 0.0, 1e-12);
  }
}

class Keeper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override { last = state; }
  bool onStep(double) override { return true; }
  void onCheckpoint(const analysis::RunPoint& given) override { point = given; }

  system::State last;
  std::optional<analysis::RunPoint> point;
};

// What is looked for belongs to the checkpoint.
TEST(Touch, IsSeenRightAfterACheckpoint) {
  const double step = 1.0 / 31.5, half = 0.02 * step;
  const model::Model model =
      buildModel(makeCart(0.5 - 0.5 * half * half) +
                 "outputs: [x]\nanalysis: {time: {end: 2, step: " + number(step) + "}}\n");
  const analysis::RunPlan plan{nullptr, {1.0 - 0.6 * step}};
  Keeper whole, rest;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, plan).ok());
  ASSERT_TRUE(whole.point);
  ASSERT_TRUE(
      analysis::runTime(model, *model.time(), rest, {&*whole.point, plan.checkpoints}).ok());
  EXPECT_TRUE(rest.last == whole.last);
}

}  // namespace
}  // namespace flexloop::test
