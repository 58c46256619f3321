// Runs that grow without bound, by loops of the wrong sign, by samples that come too late, by feedback inside of signals alone:
// the run says since when, how fast and by what. The truth is the root of the equation of each machine, by hand. What
// moves far for other reasons is not called that.
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "analysis/time/growth_watch.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using analysis::Doublings;
using analysis::Growth;

std::optional<Growth> growthOf(const std::function<double(double)>& size, double end, double step) {
  Doublings doublings;
  for (int k = 1; k * step <= end; ++k) doublings.add(std::abs(size(k * step)), k * step);
  return doublings.find(end, step, 10);
}

TEST(Doublings, OfAnExponentialAreEvenlySpaced) {
  const auto growth = growthOf([](double t) { return 1e-3 * std::exp(3.0 * t); }, 10.0, 1e-3);
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->rate, 3.0, 0.01);
  EXPECT_LT(growth->since, 1.0);  // four doublings are 0.92 s
  EXPECT_TRUE(growth->isSteady);
}

TEST(Doublings, OfAGrowingOscillationAreFoundAtAnyFrequency) {
  for (const double omega : {0.5, 3.0, 10.0, 200.0}) {
    const auto growth =
        growthOf([&](double t) { return std::exp(1.5 * t) * std::cos(omega * t); }, 30.0, 1e-3);
    ASSERT_TRUE(growth) << omega;
    EXPECT_NEAR(growth->rate, 1.5, 0.15) << omega;
  }
}

TEST(Doublings, BeginWhereTheGrowthDoes) {
  const auto growth = growthOf(
      [](double t) { return std::cos(5.0 * t) + 1e-6 * std::exp(2.0 * (t - 20.0)); }, 60.0, 1e-3);
  ASSERT_TRUE(growth);
  // 1e-6 exp(2 (t − 20)) is one at 26.9 s.
  EXPECT_NEAR(growth->since, 27.3, 1.5);
  EXPECT_NEAR(growth->rate, 2.0, 0.05);
}

TEST(Doublings, OfPowersOfTimeAreNoGrowthWithoutBound) {
  for (const double power : {0.5, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    EXPECT_FALSE(growthOf([&](double t) { return std::pow(t, power); }, 100.0, 1e-3)) << power;
  }
  EXPECT_FALSE(growthOf([](double t) { return t < 3.0 ? 1e-12 : 5.0 + t; }, 10.0, 1e-3));
  EXPECT_FALSE(growthOf([](double t) { return 1.0 - std::exp(-t); }, 10.0, 1e-3));
}

TEST(Doublings, ThatAreOverAreNoGrowthWithoutBound) {
  EXPECT_FALSE(growthOf([](double t) { return std::exp(2.0 * std::min(t, 10.0)); }, 20.0, 1e-3));
}

// A cart with m x″ = −kp x − kd x′.
std::string cartWith(const std::string& gains) {
  return "nodes: {a: {position: [0, 0, 0], velocity: [1 mm/s, 0, 0]}}\n"
         "bodies: {cart: {node: a, mass: 2, inertia: [1, 1, 1]}}\n"
         "joints: {rail: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
         "sensors: {x: {measure: displacement, joint: rail}}\n"
         "blocks: {servo: {type: pid, input: x, " +
         gains +
         "}}\n"
         "actuators: {motor: {type: force, joint: rail, input: servo}}\n";
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(GrowingRun, OfAWrongSignNamesTheModeAndItsLoop) {
  // s² − 2 s + 100 = 0.
  const ModelRun run = runModel(cartWith("kp: 200, kd: -4"), "x", "end: 20, step: 1 ms");
  ASSERT_TRUE(run.report.health.growth);
  const analysis::GrowthReport& growth = *run.report.health.growth;
  EXPECT_NEAR(growth.growth.rate, 1.0, 0.05);
  EXPECT_NEAR(growth.modeRate, 1.0, 1e-6);
  EXPECT_NEAR(growth.modeHz, std::sqrt(99.0) / (2.0 * M_PI), 1e-6);
  EXPECT_TRUE(growth.isExplained);
  EXPECT_LT(growth.growth.since, 3.0);
  EXPECT_TRUE(contains(growth.parts, "motor"));
  EXPECT_TRUE(contains(growth.blocks, "servo"));
  EXPECT_FALSE(run.report.health.isTrusted());
  EXPECT_TRUE(
      says(run.report.health.verdict(), "do not trust this run: the motion grows without bound"));
  EXPECT_TRUE(says(run.report.health.verdict(), "sign and the gain of 'servo'"));
}

TEST(GrowingRun, OfAPositiveFeedbackOfPositionIsFound) {
  // s² − 50 = 0; sinh(√50 t) grows a little faster at first.
  const ModelRun run = runModel(cartWith("kp: -100"), "x", "end: 5, step: 1 ms");
  ASSERT_TRUE(run.report.health.growth);
  EXPECT_NEAR(run.report.health.growth->growth.rate, std::sqrt(50.0), 0.5);
  EXPECT_NEAR(run.report.health.growth->modeRate, std::sqrt(50.0), 1e-6);
  EXPECT_EQ(run.report.health.growth->modeHz, 0.0);
}

TEST(GrowingRun, OfSignalsAloneEndsWithTheLoopThatGrows) {
  // x′ = −x + 3 (x + 1).
  const ModelRun run = tryModel(
      "blocks:\n"
      "  one: {type: step, at: 0.1, to: 1}\n"
      "  error: {type: sum, inputs: [one, lag]}\n"
      "  lag: {type: transfer_function, input: error, numerator: [3], denominator: [1, 1]}\n",
      "lag", "end: 1000, step: 0.1");
  ASSERT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "signals grow without bound since t = "));
  EXPECT_TRUE(says(messageOf(run.report.failure), "'lag'"));
  EXPECT_TRUE(says(run.report.failure->hint, "sign and the gain of"));
  ASSERT_TRUE(run.report.health.growth);
  EXPECT_NEAR(run.report.health.growth->growth.rate, 2.0, 0.05);
  EXPECT_NEAR(run.report.health.growth->modeRate, 2.0, 1e-6);
}

TEST(GrowingRun, OfASampledLoopIsExplainedByItsSamples) {
  const ModelRun run = runModel(
      "nodes: {a: [0, 0, 0]}\n"
      "bodies: {cart: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: slider, between: [ground, a], axis: [1, 0, 0]}}\n"
      "sensors: {x: {measure: displacement, joint: rail}}\n"
      "blocks:\n"
      "  ref: {type: step, at: 0.1, to: 10 mm}\n"
      "  servo: {type: discrete_pid, input: x, reference: ref, kp: 10000, kd: 220, sample: 10 ms}\n"
      "actuators: {motor: {type: force, joint: rail, input: servo}}\n",
      "x", "end: 3, step: 1 ms");
  ASSERT_TRUE(run.report.health.growth);
  const analysis::GrowthReport& growth = *run.report.health.growth;
  EXPECT_TRUE(growth.isExplained);
  EXPECT_NEAR(growth.growth.rate, growth.modeRate, 0.1 * growth.modeRate);
  EXPECT_TRUE(contains(growth.blocks, "servo"));
}

// A pendulum that is turned ever faster, until it turns by half a radian in a step and the iteration finds other solutions.
TEST(GrowingRun, ThatStepsCeaseToFollowIsExplainedByItsMode) {
  const ModelRun run = tryModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [0, 0, -1]}\n"
      "bodies: {bob: {node: a, mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
      "joints: {pivot: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
      "sensors: {q: {measure: angle, joint: pivot}}\n"
      "blocks:\n"
      "  ref: {type: step, at: 0.5, to: 0.1}\n"
      "  servo: {type: pid, input: q, reference: ref, kp: 30, kd: -5, c: 0}\n"
      "actuators: {motor: {type: torque, joint: pivot, input: servo}}\n",
      "q", "end: 5, step: 1 ms");
  EXPECT_FALSE(run.report.health.isTrusted());
  ASSERT_TRUE(run.report.health.growth);
  const analysis::GrowthReport& growth = *run.report.health.growth;
  // 1.01 s² − 5 s + 30 + 9.81 = 0 at the start.
  EXPECT_NEAR(growth.growth.rate, 2.5 / 1.01, 0.5);
  EXPECT_LT(growth.growth.since, 1.5);
  EXPECT_TRUE(contains(growth.blocks, "servo"));
  EXPECT_TRUE(says(run.report.health.verdict(), "steps no longer resolve"));
}

// What the steps do and the machine does not.
TEST(GrowingRun, OfAnUnstableSchemeBlamesTheSteps) {
  const ModelRun run = tryModel(
      "nodes: {a: {position: [1, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
      "bodies: {cart: {node: a, mass: 1}}\n"
      "springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 1e4}}\n",
      "",
      "end: 20, step: 10 ms, scheme: {motion: {beta: 0.2, gamma: 0.45, alpha_m: 0, alpha_f: 0}}");
  ASSERT_TRUE(run.report.health.growth);
  EXPECT_FALSE(run.report.health.growth->hasMode);
  EXPECT_TRUE(says(run.report.health.growth->text, "has no growing mode"));
  EXPECT_TRUE(says(run.report.health.growth->hint, "smaller step"));
}

TEST(GrowingRun, WhatMovesFarIsNotCalledThat) {
  const std::string body =
      "nodes: {a: {position: [0, 0, 0], free: [z]}}\n"
      "bodies: {ball: {node: a, mass: 2}}\n";
  const auto isQuiet = [](const std::string& model, const std::string& time) {
    const ModelRun run = runModel(model, "", time);
    EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
    return !run.report.health.growth;
  };
  EXPECT_TRUE(isQuiet("gravity: [0, 0, -9.81]\n" + body, "end: 100, step: 0.01"));
  EXPECT_TRUE(
      isQuiet(body + "loads: {rocket: {node: a, force: [0, 0, 1e4]}}\n", "end: 100, step: 0.01"));
  EXPECT_TRUE(isQuiet(body + "blocks: {rise: {type: ramp, slope: 10}}\n"
                             "loads: {rocket: {node: a, force: [0, 0, 1], signal: rise}}\n",
                      "end: 100, step: 0.01"));
  EXPECT_TRUE(
      isQuiet("blocks:\n  u: {type: constant, value: 1}\n"
              "  x: {type: integrator, input: u}\n"
              "  y: {type: integrator, input: x}\n  z: {type: integrator, input: y}\n",
              "end: 100, step: 0.01"));
  // A force that begins at the natural frequency: a resonance grows with t.
  EXPECT_TRUE(isQuiet(body + "springs: {k: {type: linear, between: [ground, a], direction: [0, 0, "
                             "1], stiffness: 200}}\n"
                             "blocks: {u: {type: expression, value: '= sin(10*t)'}}\n"
                             "loads: {shake: {node: a, force: [0, 0, 1], signal: u}}\n",
                      "end: 50, step: 1 ms"));
}

// It leaves its unstable position by the energy that it has: exponentially, but not without bound.
TEST(GrowingRun, AFallFromAnUnstablePositionIsNotCalledThat) {
  for (const char* end : {"end: 2.5", "end: 12"}) {
    const ModelRun run = runModel(
        "gravity: [0, 0, -9.81]\n"
        "nodes: {a: [1e-6, 0, 1]}\n"
        "bodies: {bob: {node: a, mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
        "joints: {pivot: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
        "damping: 0.01}}\n",
        "", std::string(end) + ", step: 1 ms");
    EXPECT_FALSE(run.report.health.growth) << end;
    EXPECT_TRUE(run.report.health.isTrusted()) << run.report.health.verdict();
  }
}

}  // namespace
}  // namespace flexloop::test
