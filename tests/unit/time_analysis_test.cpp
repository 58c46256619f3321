#include "analysis/time_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "analysis/model_check.hpp"
#include "api/registry.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"

namespace flexloop::analysis {
namespace {

model::Model build(const std::string& text) {
  static const system::Registry registry = api::makeRegistry();
  return model::buildModel(io::readModelText("flexloop: 1\n" + text, "test.yaml", registry),
                           registry);
}

class Collector final : public Observer {
 public:
  void onStart(const solve::StartReport&) override { ++starts; }
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    times.push_back(state.time);
    values.push_back(outputs);
  }
  bool onStep(double time) override { return time < stopAt; }

  int starts = 0;
  double stopAt = 1e300;
  std::vector<double> times;
  std::vector<std::vector<double>> values;
};

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
  const model::Model model = build(std::string(kFall) + "analysis: {time: {end: 1, step: 0.03}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  ASSERT_TRUE(report.ok) << report.trouble;
  EXPECT_EQ(collector.starts, 1);
  EXPECT_EQ(report.steps, 34);
  ASSERT_EQ(collector.times.size(), 35u);
  EXPECT_EQ(collector.times.front(), 0.0);
  EXPECT_EQ(collector.times.back(), 1.0);
  for (std::size_t i = 0; i < collector.times.size(); ++i) {
    EXPECT_NEAR(collector.values[i][0], -0.5 * 9.81 * collector.times[i] * collector.times[i],
                1e-12);
  }
  EXPECT_TRUE(report.energy.isConservative);
  EXPECT_NEAR(report.energy.dissipatedShare, 0.0, 1e-10);
}

// No translation is accelerated, so the iteration has to judge itself by rotations alone: a rotor
// that is driven by 0.3 sin 2πt needs the torque J φ''.
TEST(TimeAnalysis, ARotorInPlaceConverges) {
  const model::Model model = build(R"(
nodes: {A: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}}
bodies: {a: {node: A, mass: 2, inertia: [0.5, 0.5, 0.5]}}
joints: {h: {type: hinge, between: [ground, A], axis: [1, 2, 2], drive: u}}
blocks: {u: {type: sine, amplitude: 0.3, frequency: 1 Hz}}
sensors: {M: {measure: torque, joint: h, direction: [1, 2, 2]}}
analysis: {time: {end: 1, step: 1 ms}}
)");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  ASSERT_TRUE(report.ok) << report.trouble;
  const double omega = 2.0 * std::numbers::pi;
  for (std::size_t i = 0; i < collector.times.size(); ++i) {
    const double torque = -0.5 * 0.3 * omega * omega * std::sin(omega * collector.times[i]);
    EXPECT_NEAR(collector.values[i][0], torque, 0.01 * 5.9) << collector.times[i];
  }
}

TEST(TimeAnalysis, NumericalDissipationIsReported) {
  const model::Model model =
      build(std::string(kOscillator) + "analysis: {time: {end: 10, step: 0.05}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  ASSERT_TRUE(report.ok) << report.trouble;
  EXPECT_NEAR(report.energy.start, 1.5, 1e-12);
  EXPECT_LT(report.energy.end, 1.5);
  EXPECT_NEAR(report.energy.dissipatedShare, (1.5 - report.energy.end) / 1.5,
              1e-2 * report.energy.dissipatedShare);
  EXPECT_NEAR(collector.values.back()[0], 0.5 * std::sin(20.0), 0.02);
  TimeSettings exact = *model.time();
  exact.scheme.motion = solve::makeChungHulbert(1.0);
  EXPECT_LT(std::abs(runTime(model, exact, collector).energy.dissipatedShare),
            0.01 * report.energy.dissipatedShare);
}

TEST(TimeAnalysis, AdaptiveStepsKeepTheirTolerance) {
  const model::Model model =
      build(std::string(kOscillator) +
            "analysis: {time: {end: 10, step: 0.5, adaptive: true, tolerance: 1e-7, rho: 0.9}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  ASSERT_TRUE(report.ok) << report.trouble;
  EXPECT_GT(report.rejectedSteps, 0);
  EXPECT_EQ(report.steps + 1, static_cast<std::int64_t>(collector.times.size()));
  double largest = 0.0;
  for (std::size_t i = 0; i < collector.times.size(); ++i) {
    const double error = collector.values[i][0] - 0.5 * std::sin(2.0 * collector.times[i]);
    largest = std::max(largest, std::abs(error));
  }
  // No more than what all steps are allowed together.
  EXPECT_LT(largest, 1e-7 * static_cast<double>(report.steps));
}

TEST(TimeAnalysis, StepsEndOnBreaks) {
  // From 0.105 s on the acceleration is 1 m/s².
  const model::Model model = build(
      "nodes: {ball: {position: [0, 0, 0], free: [z]}}\n"
      "bodies: {ball: {node: ball, mass: 2}}\n"
      "blocks: {jump: {type: step, at: 0.105, to: 1}}\n"
      "loads: {push: {node: ball, force: [0, 0, 2], signal: jump}}\n"
      "sensors: {z: {measure: position, node: ball, direction: [0, 0, 1]}}\n"
      "analysis: {time: {end: 1, step: 0.01}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  ASSERT_TRUE(report.ok) << report.trouble;
  EXPECT_EQ(report.steps, 101);
  EXPECT_EQ(collector.times.size(), 101u);
  EXPECT_NEAR(collector.values.back()[0], 0.5 * 0.895 * 0.895, 5e-3);
}

TEST(TimeAnalysis, RecordsEveryNthStepOrByInterval) {
  const model::Model model = build(std::string(kFall) + "analysis: {time: {end: 1, step: 0.01}}\n");
  TimeSettings settings = *model.time();
  settings.record.every = 30;
  Collector some;
  ASSERT_TRUE(runTime(model, settings, some).ok);
  EXPECT_EQ(some.times, (std::vector<double>{0.0, 0.3, 0.6, 0.9, 1.0}));
  settings.record.interval = 0.25;
  Collector regular;
  ASSERT_TRUE(runTime(model, settings, regular).ok);
  EXPECT_EQ(regular.times, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
}

TEST(TimeAnalysis, TheObserverMayStopIt) {
  const model::Model model = build(std::string(kFall) + "analysis: {time: {end: 1, step: 0.01}}\n");
  Collector collector;
  collector.stopAt = 0.5;
  const TimeReport report = runTime(model, *model.time(), collector);
  EXPECT_FALSE(report.ok);
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.time, 0.5);
}

TEST(TimeAnalysis, TwoRunsGiveTheSameBits) {
  const model::Model model = build(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {a: [1, 0, 0], b: {position: [2, 0, 0], angular_velocity: [1, 2, 3]}}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 2, inertia: [1, 2, "
      "2]}}\n"
      "joints:\n"
      "  h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  s: {type: spherical, between: [a, b], at: [1.5, 0, 0]}\n"
      "sensors: {p: {measure: position, node: b}, f: {measure: force, joint: h}}\n"
      "analysis: {time: {end: 0.2, step: 1 ms}}\n");
  Collector first, second;
  ASSERT_TRUE(runTime(model, *model.time(), first).ok);
  ASSERT_TRUE(runTime(model, *model.time(), second).ok);
  EXPECT_EQ(first.values, second.values);
}

TEST(TimeAnalysis, AMachineThatCannotBeAssembledIsNamed) {
  const model::Model model = build(
      "nodes: {a: [0, 0, 0], b: [3, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, "
      "1]}}\n"
      "joints:\n"
      "  w1: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
      "  w2: {type: spherical, between: [ground, b], at: [3, 0, 0]}\n"
      "  rod: {type: distance, between: [a, b], length: 1}\n"
      "analysis: {time: {end: 0.2, step: 1 ms}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.trouble.find("at the start"), std::string::npos) << report.trouble;
  EXPECT_TRUE(collector.times.empty());
}

// A drive that pulls a body away from ground, to which a rigid rod ties it.
TEST(TimeAnalysis, JointsThatContradictEachOtherAreAFailure) {
  const model::Model model = build(
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "blocks: {pull: {type: ramp, start: 0.5, slope: 1}}\n"
      "joints:\n"
      "  rail: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: pull}\n"
      "  rod: {type: distance, between: [ground, a], length: 1}\n"
      "analysis: {time: {end: 1, step: 10 ms}}\n");
  Collector collector;
  const TimeReport report = runTime(model, *model.time(), collector);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.trouble.find("contradict"), std::string::npos) << report.trouble;
  EXPECT_NEAR(report.time, 0.51, 0.011);
}

TEST(ModelCheck, MassPropertiesAreThoseOfTheWholeMachine) {
  const model::Model model = build(
      "nodes:\n"
      "  a: {position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}\n"
      "  b: {position: [-1, 0, 1], free: []}\n"
      "bodies: {a: {node: a, mass: 2}, b: {node: b, mass: 3}}\n");
  const MassProperties mass = calcMassProperties(model.system(), model.system().start());
  EXPECT_NEAR(mass.mass, 5.0, 1e-13);
  EXPECT_NEAR((mass.centre - math::Vec3<double>(-0.2, 0.8, 1.8)).norm(), 0.0, 1e-13);
  // Two points at the distance d have μ(d² 1 − d dᵀ) about their centre, μ the reduced mass.
  const math::Vec3<double> d(2.0, 2.0, 2.0);
  const math::Mat3<double> expected =
      1.2 * (d.dot(d) * math::Mat3<double>::Identity() - d * d.transpose());
  EXPECT_NEAR((mass.inertia - expected).norm(), 0.0, 1e-11);
}

TEST(ModelCheck, CountsFreedomsConstraintsAndMobility) {
  const model::Model model = build(
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  h2: {type: hinge, between: [ground, a], at: [0, 0, 1], axis: [0, 0, 1]}\n");
  const CheckReport report = checkModel(model);
  EXPECT_EQ(report.freedoms, 6);
  EXPECT_EQ(report.constraints, 10);
  EXPECT_EQ(report.independentConstraints, 5);
  EXPECT_EQ(report.mobility(), 1);
  EXPECT_EQ(report.redundantGroups.size(), 5u);
}

}  // namespace
}  // namespace flexloop::analysis
