// Modes followed over parameters, and limits of stability, against closed forms.
#include "study/mode_sweep.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "api/study_source.hpp"
#include "study/ahead.hpp"
#include "study/mode_tracking.hpp"
#include "study/output_sweep.hpp"
#include "study/stability_limit.hpp"
#include "support/box_file.hpp"
#include "support/model_maker.hpp"
#include "support/pid_model.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using test::makerOf;

// Two masses of one with springs k and 100 to the wall, and one between them.
std::string twoMasses(double coupling) {
  return R"(
parameters: {k: 50}
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [0, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 1}}
springs:
  a: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: = k}
  b: {type: linear, between: [ground, b], direction: [1, 0, 0], stiffness: 100}
  c: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: )" +
         std::to_string(coupling) + "}\n";
}

double valueOf(const ModeSweepPoint& point) {
  return point.settings.front().value;
}

// By track, the eigenvalue at a point.
std::map<int, Complex> rootsOf(const ModeSweepPoint& point) {
  std::map<int, Complex> roots;
  for (const TrackedMode& mode : point.modes) roots[mode.track] = mode.mode.eigenvalue;
  return roots;
}

TEST(SweepAxis, HasExactEndsAndAllCombinations) {
  const SweepAxis even = makeAxis("a", 0.1, 0.3, 3, Spacing::kEven);
  EXPECT_EQ(even.values.front(), 0.1);
  EXPECT_EQ(even.values.back(), 0.3);
  EXPECT_DOUBLE_EQ(even.values[1], 0.2);
  const SweepAxis logarithmic = makeAxis("b", 1.0, 100.0, 3, Spacing::kLogarithmic);
  EXPECT_DOUBLE_EQ(logarithmic.values[1], 10.0);
  const std::vector<Settings> all = combine({even, logarithmic});
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[1][0].value, 0.1);
  EXPECT_EQ(all[2][1].value, 100.0);
}

TEST(Assignment, FindsTheLeastSumAndNotTheLeastEntry) {
  Eigen::MatrixXd cost(3, 3);
  cost << 1, 2, 3, 1.1, 9, 9, 3, 4, 1;
  EXPECT_EQ(assignLeastCost(cost), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(assignLeastCost(cost.topRows(2)), (std::vector<int>{1, 0}));
  EXPECT_EQ(assignLeastCost(cost.leftCols(2)), (std::vector<int>{1, 0, -1}));
}

TEST(ModeSweep, FollowsModesThroughACrossing) {
  for (const int count : {4, 11, 12}) {  // 11 has k = 100, where both are the same root
    const ModeSweep sweep =
        sweepModes({makeAxis("k", 50, 150, count, Spacing::kEven)}, makerOf(twoMasses(0)), {});
    ASSERT_TRUE(sweep.isComplete);
    EXPECT_EQ(sweep.tracks, 2);
    for (const ModeSweepPoint& point : sweep.points) {
      ASSERT_TRUE(point.ok()) << messageOf(point.failure);
      EXPECT_FALSE(point.isUnclear);
      const std::map<int, Complex> roots = rootsOf(point);
      ASSERT_EQ(roots.size(), 2u);
      EXPECT_NEAR(roots.at(0).imag(), std::sqrt(valueOf(point)), 1e-6) << valueOf(point);
      EXPECT_NEAR(roots.at(1).imag(), 10.0, 1e-6) << valueOf(point);
    }
  }
}

// A solver may give any mixture of the shapes of equal roots; here it is made by hand.
TEST(ModeTracking, UnmixesTheShapesOfEqualRoots) {
  const ModelMaker maker = makerOf(twoMasses(0));
  const ModePoint before = findModesAt(maker, {{"k", 95}}, {});
  ModePoint equal = findModesAt(maker, {{"k", 100}}, {});
  const ModePoint after = findModesAt(maker, {{"k", 105}}, {});
  ASSERT_EQ(equal.vectors.size(), 2u);
  for (Eigen::VectorXcd RootVectors::*side : {&RootVectors::right, &RootVectors::left}) {
    const Eigen::VectorXcd first = equal.vectors[0].*side, second = equal.vectors[1].*side;
    equal.vectors[0].*side = (first + second) / std::sqrt(2.0);
    equal.vectors[1].*side = (first - second) / std::sqrt(2.0);
  }
  const std::vector<bool> all{true, true};
  const ModeMatch in = matchModes(before, equal, all);
  EXPECT_TRUE(in.isClear);
  alignRepeated(before, in, equal);
  const ModeMatch out = matchModes(equal, after, all);
  EXPECT_TRUE(out.isClear);
  // The mode of k, the lower one before, is the higher one after.
  EXPECT_EQ(out.next[in.next[0]], 1);
  EXPECT_EQ(out.next[in.next[1]], 0);
  for (const RootVectors& vectors : equal.vectors) {
    EXPECT_NEAR(vectors.right.cwiseAbs().maxCoeff(), 1.0, 1e-9);
  }
}

TEST(ModeSweep, FollowsModesThroughAVeering) {
  for (const int count : {5, 8, 21}) {
    const ModeSweep sweep =
        sweepModes({makeAxis("k", 50, 150, count, Spacing::kEven)}, makerOf(twoMasses(5)), {});
    EXPECT_EQ(sweep.tracks, 2);
    for (const ModeSweepPoint& point : sweep.points) {
      const std::map<int, Complex> roots = rootsOf(point);
      ASSERT_EQ(roots.size(), 2u);
      const double mean = 0.5 * (valueOf(point) + 110.0);
      const double half = std::hypot(0.5 * (valueOf(point) - 100.0), 5.0);
      EXPECT_NEAR(roots.at(0).imag(), std::sqrt(mean - half), 1e-9);
      EXPECT_NEAR(roots.at(1).imag(), std::sqrt(mean + half), 1e-9);
    }
  }
}

TEST(ModeSweep, OfAnIntegralGainShowsTheOnsetOfOscillation) {
  const ModeSweep sweep =
      sweepModes({makeAxis("ki", 0, 320, 41, Spacing::kEven)}, makerOf(kPid), {});
  ASSERT_EQ(sweep.points.size(), 41u);
  for (const ModeSweepPoint& point : sweep.points) {
    ASSERT_TRUE(point.ok()) << messageOf(point.failure);
    for (const TrackedMode& mode : point.modes) {
      const Complex s = mode.mode.eigenvalue;
      EXPECT_LT(std::abs(s * s * s + 10.0 * s * s + 16.0 * s + valueOf(point)),
                1e-10 * (1.0 + std::abs(s * s * s)));
    }
    // The discriminant vanishes at ki = 7.04.
    const auto oscillates = [](const TrackedMode& m) { return m.mode.eigenvalue.imag() > 0.0; };
    EXPECT_EQ(std::any_of(point.modes.begin(), point.modes.end(), oscillates),
              valueOf(point) >= 8.0);
  }
  EXPECT_NEAR(sweep.points.back().findRightmost()->frequencyHz(), 0.8481, 5e-5);
  const StabilityLimits limits = findStabilityLimits(sweep, makerOf(kPid), {});
  ASSERT_EQ(limits.limits.size(), 1u);
  EXPECT_NEAR(limits.limits[0].value, 160.0, 1.6e-8);
  EXPECT_NEAR(limits.limits[0].eigenvalue.imag(), 4.0, 1e-9);
  EXPECT_TRUE(limits.limits[0].becomesUnstable);
}

TEST(StabilityLimit, IsFoundBetweenPointsFromBothSides) {
  for (const auto& [from, to] : {std::pair(20.0, 310.0), std::pair(310.0, 20.0)}) {
    const ModeSweep sweep =
        sweepModes({makeAxis("ki", from, to, 4, Spacing::kEven)}, makerOf(kPid), {});
    const StabilityLimits limits = findStabilityLimits(sweep, makerOf(kPid), {});
    ASSERT_EQ(limits.limits.size(), 1u);
    EXPECT_NEAR(limits.limits[0].value, 160.0, 1.6e-8);
    EXPECT_TRUE(limits.limits[0].becomesUnstable);
  }
}

TEST(StabilityLimit, OfAMotionWithoutDampingIsWhereStiffnessEnds) {
  // s² + 100 − p
  const std::string text = R"(
parameters: {p: 0}
nodes: {mass: {position: [0, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 1}}
springs: {wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: 100}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
blocks: {push: {type: pid, input: x, reference: 0, kp: = -p}}
actuators: {motor: {type: force, node: mass, direction: [1, 0, 0], input: push}}
)";
  const ModeSweep sweep = sweepModes({makeAxis("p", 0, 170, 3, Spacing::kEven)}, makerOf(text), {});
  const StabilityLimits limits = findStabilityLimits(sweep, makerOf(text), {});
  ASSERT_EQ(limits.limits.size(), 1u);
  EXPECT_NEAR(limits.limits[0].value, 100.0, 1e-8);
}

// x' = −k x(t − τ) is stable below kτ = π/2, where it oscillates with ω = k. Further pairs turn unstable at
// kτ = π/2 + 2π n with the same frequency.
TEST(StabilityLimit, OfALoopWithADelayIsWhereItsPhaseIsUsedUp) {
  const char* text = R"(
parameters: {k: 2, T: 0.1}
blocks:
  x:    {type: integrator, input: late, gain: = -k}
  late: {type: transport_delay, input: x, delay: = T}
)";
  ModeTask task;
  task.options.count = 6;
  const ModeSweep sweep =
      sweepModes({makeAxis("T", 0.05, 5.0, 12, Spacing::kEven)}, makerOf(text), task);
  const StabilityLimits limits = findStabilityLimits(sweep, makerOf(text), task);
  ASSERT_EQ(limits.limits.size(), 2u);
  for (int n = 0; n < 2; ++n) {
    const StabilityLimit& limit = limits.limits[n];
    EXPECT_NEAR(limit.value, (0.25 + n) * std::numbers::pi, 1e-11);
    EXPECT_NEAR(limit.eigenvalue.imag(), 2.0, 1e-10);
    EXPECT_TRUE(limit.becomesUnstable);
  }
}

// x' = −k x(t_n), held for T: x is multiplied by 1 − kT in each period, which is −1 at kT = 2.
TEST(StabilityLimit, OfASampledLoopIsWhereItsMapGrows) {
  const char* text = R"(
parameters: {k: 5}
blocks:
  x:    {type: integrator, input: held, gain: = -k}
  held: {type: hold, input: x, sample: 0.1}
)";
  const ModeSweep sweep =
      sweepModes({makeAxis("k", 11.0, 30.0, 5, Spacing::kEven)}, makerOf(text), {});
  const StabilityLimits limits = findStabilityLimits(sweep, makerOf(text), {});
  ASSERT_EQ(limits.limits.size(), 1u);
  EXPECT_NEAR(limits.limits[0].value, 20.0, 1e-9);
  EXPECT_NEAR(limits.limits[0].eigenvalue.imag(), std::numbers::pi / 0.1, 1e-9);
}

TEST(StabilityLimit, IsNotInventedWhereNothingCrosses) {
  const ModeSweep sweep =
      sweepModes({makeAxis("ki", 10, 150, 5, Spacing::kEven)}, makerOf(kPid), {});
  const StabilityLimits limits = findStabilityLimits(sweep, makerOf(kPid), {});
  EXPECT_TRUE(limits.limits.empty());
  EXPECT_TRUE(limits.lost.empty());
}

TEST(ModeSweep, KeepsFailedPointsAndGoesOn) {
  std::string text = kPid;
  text.replace(text.find("mass: 1"), 7, "mass: = ki");
  const ModeSweep sweep = sweepModes({makeAxis("ki", -1, 2, 4, Spacing::kEven)}, makerOf(text), {});
  ASSERT_EQ(sweep.points.size(), 4u);
  EXPECT_FALSE(sweep.points[0].ok());
  EXPECT_FALSE(messageOf(sweep.points[0].failure).empty());
  EXPECT_TRUE(sweep.points[2].ok()) << messageOf(sweep.points[2].failure);
  EXPECT_TRUE(sweep.points[3].ok());
}

TEST(ModeSweep, EndsWhenItIsToldTo) {
  const ModeSweep sweep =
      sweepModes({makeAxis("ki", 10, 20, 10, Spacing::kEven)}, makerOf(kPid), {},
                 {.proceed = [](int done, int total) { return total == 10 && done < 3; }});
  EXPECT_EQ(sweep.points.size(), 3u);
  EXPECT_FALSE(sweep.isComplete);
}

TEST(ModeSweep, WithSeveralThreadsGivesTheSameBits) {
  std::string text = twoMasses(0.5);
  text.replace(text.find("mass: 1"), 7, "mass: = k - 55");  // points that fail, too
  const std::vector<SweepAxis> axes{makeAxis("k", 50, 150, 101, Spacing::kEven)};
  const ModeSweep one = sweepModes(axes, makerOf(text), {});
  const ModeSweep four = sweepModes(axes, makerOf(text), {}, {.threads = 4});
  ASSERT_EQ(four.points.size(), one.points.size());
  EXPECT_EQ(four.tracks, one.tracks);
  EXPECT_FALSE(four.points[0].ok());
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(valueOf(four.points[i]), valueOf(one.points[i]));
    EXPECT_EQ(messageOf(four.points[i].failure), messageOf(one.points[i].failure));
    EXPECT_EQ(rootsOf(four.points[i]), rootsOf(one.points[i]));
  }
}

// Copies of a vendor's code in one process may share variables, so they are not run side by side.
TEST(ModeSweep, ModelsWithLibrariesThatAreCalledDirectlyGoPointByPoint) {
  std::string text = kPid;
  EXPECT_EQ(api::readThreads(4, makerOf(text)({})), 4);
  text.replace(text.find("{type: pid, "), 12,
               "{type: library, path: " + testing::boxFile("pi") +
                   ", inputs: [x], outputs: [u], config: \"1 0\"}, unused: {type: pid, ");
  EXPECT_EQ(api::readThreads(4, makerOf(text)({})), 4) << "each has a process of its own";
  text.replace(text.find("config: \"1 0\""), 13, "config: \"1 0\", isolate: false");
  EXPECT_EQ(api::readThreads(4, makerOf(text)({})), 1);
}

TEST(ModeSweep, EndsWithSeveralThreadsToo) {
  const ModeSweep sweep =
      sweepModes({makeAxis("ki", 10, 20, 50, Spacing::kEven)}, makerOf(kPid), {},
                 {.proceed = [](int done, int) { return done < 3; }, .threads = 4});
  EXPECT_EQ(sweep.points.size(), 3u);
  EXPECT_FALSE(sweep.isComplete);
}

// Which point is ready first changes nothing; neither does an exception, which comes where its value would.
TEST(Ahead, GivesValuesInOrder) {
  const auto make = [](int i) {
    if (i == 7) throw std::runtime_error("seven");
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
    return i * i;
  };
  for (const int threads : {1, 4}) {
    Ahead<int> ahead(20, threads, make);
    for (int i = 0; i < 10; ++i) {
      if (i == 7) {
        EXPECT_THROW((void)ahead.take([] {}), std::runtime_error);
      } else {
        EXPECT_EQ(ahead.take([] {}), i * i);
      }
    }
  }
}

// A cantilever on a hub without radius that turns about z, simulated until its damping has settled the stretch.
// Flap frequencies by a Legendre–Galerkin solution of the problem of Wright et al. (1982), EI = ρA = L = 1.
TEST(ModeSweep, OfTheSpeedOfARotatingBeamIsItsCampbellDiagram) {
  const std::string text = R"(
parameters: {spin: 0}
sections:
  b: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 10, EIy: 1, EIz: 2, rhoA: 1, rhoJ: [2e-6, 1e-6, 1e-6]}
nodes:
  A: {position: [0, 0, 0], angular_velocity: [0, 0, = spin], free: [rz]}
  B: {position: [1, 0, 0], angular_velocity: [0, 0, = spin], velocity: [0, = spin, 0]}
beams: {b: {from: A, to: B, elements: 16, section: b, y_axis: [0, 1, 0], damping: 1e-3}}
analysis: {time: {end: 0.02, step: 0.2 ms, rho: 0.5}}
)";
  const double expected[5][3] = {{3.516015, 22.034492, 61.697214},
                                 {4.797279, 23.320264, 62.984967},
                                 {7.360373, 26.809082, 66.683914},
                                 {0.0, 0.0, 0.0},  // 9 is not in the table
                                 {13.170150, 37.603112, 79.614478}};
  ModeTask task;
  task.options.count = 8;
  task.about = {model::OperatingPoint::Kind::kTime, 0.02};
  const ModeSweep sweep =
      sweepModes({makeAxis("spin", 0, 12, 5, Spacing::kEven)}, makerOf(text), task);
  ASSERT_TRUE(sweep.points[0].ok()) << messageOf(sweep.points[0].failure);
  for (int flap = 0; flap < 3; ++flap) {
    int track = -1;
    for (const auto& [number, root] : rootsOf(sweep.points[0])) {
      if (std::abs(root.imag() - expected[0][flap]) < 0.002 * expected[0][flap]) track = number;
    }
    ASSERT_GE(track, 0);
    for (const int i : {1, 2, 4}) {
      ASSERT_TRUE(sweep.points[i].ok()) << messageOf(sweep.points[i].failure);
      const double mu = rootsOf(sweep.points[i]).at(track).imag();
      EXPECT_NEAR(mu, expected[i][flap], 0.002 * expected[i][flap]) << i << " " << flap;
    }
  }
}

TEST(OutputSweep, TellsEquilibriaAndRuns) {
  const std::string text = R"(
parameters: {k: 50}
gravity: [-10, 0, 0]
nodes: {mass: {position: [0, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 1}}
springs: {wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: = k}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
analysis: {time: {end: 2, step: 1 ms, rho: 0.9}}
)";
  const std::vector<SweepAxis> axes{makeAxis("k", 50, 100, 3, Spacing::kEven)};
  const OutputSweep rest = sweepOutputs(axes, makerOf(text), OutputAnalysis::kEquilibrium);
  const OutputSweep run = sweepOutputs(axes, makerOf(text), OutputAnalysis::kRun);
  const OutputSweep again = sweepOutputs(axes, makerOf(text), OutputAnalysis::kRun, {.threads = 3});
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = axes[0].values[i];
    ASSERT_TRUE(rest.points[i].ok() && run.points[i].ok());
    EXPECT_NEAR(rest.points[i].last[0], -10.0 / k, 1e-9);
    // It starts at rest and swings to twice the equilibrium.
    EXPECT_NEAR(run.points[i].least[0], -20.0 / k, 1e-4);
    EXPECT_NEAR(run.points[i].largest[0], 0.0, 1e-12);
    EXPECT_EQ(again.points[i].last, run.points[i].last);
    EXPECT_EQ(again.points[i].least, run.points[i].least);
  }
  // Ended while it is on its way.
  for (const int threads : {1, 3}) {
    const auto never = [](int, int) { return false; };
    const OutputSweep ended =
        sweepOutputs(axes, makerOf(text), OutputAnalysis::kRun, {never, threads});
    ASSERT_EQ(ended.points.size(), 1u);
    EXPECT_FALSE(ended.isComplete);
  }
}

}  // namespace
}  // namespace flexloop::study
