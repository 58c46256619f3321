#include "analysis/time/time_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "analysis/check/model_check.hpp"
#include "api/registry.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// x'' = −4 x with x' = 1 at the start, so that x = ½ sin 2t.
constexpr const char* kOscillator =
    R"(nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 3}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
)";

// Falls with 9.81 m/s².
constexpr const char* kFall = R"(gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 0], free: [z]}}
bodies: {ball: {node: ball, mass: 2}}
sensors: {z: {measure: position, node: ball, direction: [0, 0, 1]}}
)";

TEST(TimeAnalysis, AFallIsExact) {
  const ModelRun run = runModel(kFall, "z", "end: 1, step: 0.03");
  EXPECT_EQ(run.report.steps, 34);
  ASSERT_EQ(run.times().size(), 35u);
  EXPECT_EQ(run.times().front(), 0.0);
  EXPECT_EQ(run.times().back(), 1.0);
  for (const double t : run.times()) EXPECT_NEAR(run.at(t, "z"), -0.5 * 9.81 * t * t, 1e-12);
  EXPECT_TRUE(run.report.energy.isConservative);
  EXPECT_NEAR(run.report.energy.dissipatedShare, 0.0, 1e-10);
}

// No translation is accelerated, so the iteration has to judge itself by rotations alone: a rotor
// that is driven by 0.3 sin 2πt needs the torque J φ''.
TEST(TimeAnalysis, ARotorInPlaceConverges) {
  const ModelRun run = runModel(R"(
nodes: {A: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}}
bodies: {a: {node: A, mass: 2, inertia: [0.5, 0.5, 0.5]}}
joints: {h: {type: hinge, between: [ground, A], axis: [1, 2, 2], drive: u}}
blocks: {u: {type: sine, amplitude: 0.3, frequency: 1 Hz}}
sensors: {M: {measure: torque, joint: h, direction: [1, 2, 2]}}
analysis: {time: {end: 1, step: 1 ms}}
)");
  const double omega = 2.0 * std::numbers::pi;
  for (const double t : run.times()) {
    const double torque = -0.5 * 0.3 * omega * omega * std::sin(omega * t);
    EXPECT_NEAR(run.at(t, "M"), torque, 0.01 * 5.9) << t;
  }
}

TEST(TimeAnalysis, NumericalDissipationIsReported) {
  const ModelRun run = runModel(kOscillator, "x", "end: 10, step: 0.05");
  const analysis::EnergyReport& energy = run.report.energy;
  EXPECT_NEAR(energy.start, 1.5, 1e-12);
  EXPECT_LT(energy.end, 1.5);
  EXPECT_NEAR(energy.dissipatedShare, (1.5 - energy.end) / 1.5, 1e-2 * energy.dissipatedShare);
  EXPECT_NEAR(run.last("x"), 0.5 * std::sin(20.0), 0.02);
  const ModelRun exact = runModel(kOscillator, "x", "end: 10, step: 0.05, rho: 1");
  EXPECT_LT(std::abs(exact.report.energy.dissipatedShare), 0.01 * energy.dissipatedShare);
}

TEST(TimeAnalysis, AdaptiveStepsKeepTheirTolerance) {
  const ModelRun run =
      runModel(kOscillator, "x", "end: 10, step: 0.5, adaptive: true, tolerance: 1e-7, rho: 0.9");
  EXPECT_GT(run.report.rejectedSteps, 0);
  EXPECT_EQ(run.report.steps + 1, static_cast<std::int64_t>(run.times().size()));
  double largest = 0.0;
  for (const double t : run.times()) {
    largest = std::max(largest, std::abs(run.at(t, "x") - 0.5 * std::sin(2.0 * t)));
  }
  // No more than what all steps are allowed together.
  EXPECT_LT(largest, 1e-7 * static_cast<double>(run.report.steps));
}

TEST(TimeAnalysis, StepsEndOnBreaks) {
  // From 0.105 s on the acceleration is 1 m/s².
  const ModelRun run = runModel(
      "nodes: {ball: {position: [0, 0, 0], free: [z]}}\n"
      "bodies: {ball: {node: ball, mass: 2}}\n"
      "blocks: {jump: {type: step, at: 0.105, to: 1}}\n"
      "loads: {push: {node: ball, force: [0, 0, 2], signal: jump}}\n"
      "sensors: {z: {measure: position, node: ball, direction: [0, 0, 1]}}\n",
      "z", "end: 1, step: 0.01");
  EXPECT_EQ(run.report.steps, 101);
  EXPECT_EQ(run.times().size(), 101u);
  EXPECT_NEAR(run.last("z"), 0.5 * 0.895 * 0.895, 5e-3);
}

TEST(TimeAnalysis, RecordsEveryNthStepOrByInterval) {
  const model::Model model =
      buildModel(std::string(kFall) + "analysis: {time: {end: 1, step: 0.01}}\n");
  model::TimeSettings settings = *model.time();
  settings.record.every = 30;
  EXPECT_EQ(runModel(model, settings).times(), (std::vector<double>{0.0, 0.3, 0.6, 0.9, 1.0}));
  settings.record.interval = 0.25;
  EXPECT_EQ(runModel(model, settings).times(), (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
}

class Stopper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override { ++starts; }
  void onRecord(const system::State&, const std::vector<double>&) override {}
  bool onStep(double time) override { return time < 0.5; }

  int starts = 0;
};

TEST(TimeAnalysis, TheObserverIsToldTheStartAndMayStopIt) {
  const model::Model model =
      buildModel(std::string(kFall) + "analysis: {time: {end: 1, step: 0.01}}\n");
  Stopper stopper;
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), stopper);
  EXPECT_EQ(stopper.starts, 1);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.time, 0.5);
}

// At the first step, which is taken back.
class ImpatientStopper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State&, const std::vector<double>&) override {}
  bool onStep(double) override {
    ++asked;
    return false;
  }

  int asked = 0;
};

TEST(TimeAnalysis, AStopIsHeardBetweenStepsThatAreTakenBack) {
  const std::string machine =
      "gravity: [0, 0, -9.81]\nnodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1}}\n"
      "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n";
  const std::string rejected = "analysis: {time: {end: 1, step: 0.1, adaptive: true}}\n";
  // There is no solution from 0.01 s on: steps are halved, ten times.
  const std::string failed =
      "blocks: {u: {type: expression, value: '= sqrt(0.01 - t)'}}\n"
      "analysis: {time: {end: 1, step: 0.1}}\n";
  for (const std::string& analysis : {rejected, failed}) {
    const model::Model model = buildModel(machine + analysis);
    ImpatientStopper stopper;
    const analysis::TimeReport report = analysis::runTime(model, *model.time(), stopper);
    EXPECT_TRUE(report.stopped) << analysis;
    EXPECT_FALSE(report.ok());
    EXPECT_EQ(stopper.asked, 1) << analysis;
    EXPECT_EQ(report.time, 0.0) << analysis;
  }
}

TEST(TimeAnalysis, TwoRunsGiveTheSameBits) {
  const model::Model model = buildModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [1, 0, 0], b: {position: [2, 0, 0], angular_velocity: [1, 2, 3]}}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 2, inertia: [1, 2, "
      "2]}}\n"
      "joints:\n"
      "  h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  s: {type: spherical, between: [a, b], at: [1.5, 0, 0]}\n"
      "sensors: {p: {measure: position, node: b}, f: {measure: force, joint: h}}\n"
      "analysis: {time: {end: 0.2, step: 1 ms}}\n");
  const ModelRun first = runModel(model), second = runModel(model);
  for (const std::string& output : model.outputs().names()) {
    EXPECT_EQ(first.column(output), second.column(output)) << output;
  }
}

TEST(TimeAnalysis, AMachineThatCannotBeAssembledIsNamed) {
  const ModelRun run = tryModel(
      "nodes: {a: [0, 0, 0], b: [3, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, "
      "1]}}\n"
      "joints:\n"
      "  w1: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
      "  w2: {type: spherical, between: [ground, b], at: [3, 0, 0]}\n"
      "  rod: {type: distance, between: [a, b], length: 1}\n"
      "analysis: {time: {end: 0.2, step: 1 ms}}\n");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "at the start"));
  EXPECT_TRUE(run.times().empty());
}

// A drive that pulls a body away from ground, to which a rigid rod ties it.
TEST(TimeAnalysis, JointsThatContradictEachOtherAreAFailure) {
  const ModelRun run = tryModel(
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "blocks: {pull: {type: ramp, start: 0.5, slope: 1}}\n"
      "joints:\n"
      "  rail: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: pull}\n"
      "  rod: {type: distance, between: [ground, a], length: 1}\n"
      "analysis: {time: {end: 1, step: 10 ms}}\n");
  EXPECT_FALSE(run.report.ok());
  EXPECT_TRUE(says(messageOf(run.report.failure), "in conflict"));
  EXPECT_NEAR(run.report.time, 0.51, 0.011);
}

TEST(ModelCheck, MassPropertiesAreThoseOfTheWholeMachine) {
  const model::Model model = buildModel(
      "nodes:\n"
      "  a: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}\n"
      "  b: {position: [-1, 0, 1], free: []}\n"
      "bodies: {a: {node: a, mass: 2}, b: {node: b, mass: 3}}\n");
  const analysis::MassProperties mass =
      analysis::calcMassProperties(model.system(), model.system().start());
  EXPECT_NEAR(mass.mass, 5.0, 1e-13);
  EXPECT_NEAR((mass.centre - math::Vec3<double>(-0.2, 0.8, 1.8)).norm(), 0.0, 1e-13);
  // Two points at the distance d have μ(d² 1 − d dᵀ) about their centre, μ the reduced mass.
  const math::Vec3<double> d(2.0, 2.0, 2.0);
  const math::Mat3<double> expected =
      1.2 * (d.dot(d) * math::Mat3<double>::Identity() - d * d.transpose());
  EXPECT_NEAR((mass.inertia - expected).norm(), 0.0, 1e-11);
}

// A chain that falls off its hinge whips: some links turn by a tenth of a radian in a step.
std::string makeFallingChain(int links) {
  std::string nodes = "nodes:\n", bodies = "bodies:\n", joints = "joints:\n";
  std::string before = "ground";
  for (int i = 0; i < links; ++i) {
    const std::string node = "n" + std::to_string(i);
    nodes += "  " + node + ": [" + std::to_string(0.1 * (i + 0.5)) + ", 0, 0]\n";
    bodies += "  " + node + ": {node: " + node + ", mass: 1, inertia: [1e-4, 9e-4, 9e-4]}\n";
    joints += "  j" + std::to_string(i) + ": {type: hinge, between: [" + before + ", " + node +
              "], at: [" + std::to_string(0.1 * i) + ", 0, 0], axis: [0, 1, 0]}\n";
    before = node;
  }
  return "gravity: [0, 0, -9.81]\n" + nodes + bodies + joints;
}

// Velocities that are closed where positions have come to need no more tangents than positions alone.
TEST(TimeAnalysis, ClosesVelocitiesWithoutMoreTangents) {
  const std::string chain = makeFallingChain(300);
  const std::string time = "analysis: {time: {end: 0.7, step: 1 ms, constraints: ";
  const ModelRun positions = runModel(chain + time + "index3}}\n");
  const ModelRun velocities = runModel(chain + time + "index2}}\n");
  EXPECT_LE(velocities.report.factorizations, positions.report.factorizations);
  EXPECT_LE(velocities.report.iterations, positions.report.iterations);
}

TEST(ModelCheck, CountsFreedomsConstraintsAndMobility) {
  const model::Model model = buildModel(
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  h2: {type: hinge, between: [ground, a], at: [0, 0, 1], axis: [0, 0, 1]}\n");
  const analysis::CheckReport report = analysis::checkModel(model, api::makeRegistry());
  EXPECT_EQ(report.freedoms, 6);
  EXPECT_EQ(report.constraints, 10);
  EXPECT_EQ(report.independentConstraints, 5);
  EXPECT_EQ(report.mobility(), 1);
  EXPECT_EQ(report.redundantGroups.size(), 5u);
}

}  // namespace
}  // namespace flexloop::test
