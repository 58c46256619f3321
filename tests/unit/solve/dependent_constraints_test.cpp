// Constraints that depend on each other, always or in some poses, do not change the motion (docs/theory/09_time.md,
// section 9.6).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop {
namespace {

using test::ModelRun;

std::string number(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

// The body that a joint names first.
enum class First { kAlongTheChain, kUpright, kCoupler };

struct Windows {
  int count = 1;
  double length = 1.0, mass = 1.0;
  First first = First::kAlongTheChain;
  bool isGroundFirst = true;
};

// Uprights that start vertical with 1 rad/s, and couplers between their tops; hinges everywhere. Gravity grows with the
// length, so that the angle is the same function of time whatever the units.
ModelRun runWindows(const Windows& w, const std::string& time) {
  const double L = w.length;
  const auto at = [](double x, double y) { return "[" + number(x) + ", " + number(y) + ", 0]"; };
  const std::string inertia = number(w.mass * L * L / 12.0);
  const std::string body = ", mass: " + number(w.mass) + ", inertia: [" + inertia + ", " + inertia +
                           ", " + inertia + "]}\n";
  std::string nodes, bodies, joints;
  const auto rod = [&](const std::string& name, double x, double y, double speed,
                       const char* turning) {
    nodes += "  " + name + ": {position: " + at(x, y) + ", velocity: " + at(speed, 0.0) +
             ", angular_velocity: [0, 0, " + turning + "]}\n";
    bodies += "  " + name + ": {node: " + name + body;
  };
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b,
                         double x, double y) {
    joints += "  " + name + ": {type: hinge, between: [" + a + ", " + b + "], at: " + at(x, y) +
              ", axis: [0, 0, 1]}\n";
  };
  for (int i = 0; i <= w.count; ++i) {
    const std::string k = std::to_string(i), upright = "u" + k, coupler = "c" + k;
    rod(upright, i * L, 0.5 * L, 0.5 * L, "-1");
    hinge("A" + k, w.isGroundFirst ? "ground" : upright, w.isGroundFirst ? upright : "ground",
          i * L, 0.0);
    if (i == 0) continue;
    const std::string before = "u" + std::to_string(i - 1);
    rod(coupler, (i - 0.5) * L, L, L, "0");
    const bool isCouplerFirst = w.first == First::kCoupler,
               isUprightFirst = w.first == First::kUpright;
    hinge("B" + k, isCouplerFirst ? coupler : before, isCouplerFirst ? before : coupler,
          (i - 1) * L, L);
    hinge("C" + k, isUprightFirst ? upright : coupler, isUprightFirst ? coupler : upright, i * L,
          L);
  }
  const std::string last = std::to_string(w.count);
  return test::runModel("gravity: [0, " + number(-9.81 * L) + ", 0]\nnodes:\n" + nodes +
                            "bodies:\n" + bodies + "joints:\n" + joints +
                            "sensors:\n  first: {measure: angle, joint: A0}\n  last: {measure: "
                            "angle, joint: A" +
                            last + "}\n  force: {measure: force, joint: A0}\n",
                        "first, last, force", time);
}

// θ″ = g (P/I) sin θ of rods of one length and mass, by Runge and Kutta's rule with steps of 10 µs.
double calcAngle(int count, double end) {
  const double P = (count + 1) / 2.0 + count, I = (count + 1) / 3.0 + count, g = 9.81;
  const auto turn = [&](double angle) { return g * P / I * std::sin(angle); };
  const int steps = static_cast<int>(std::lround(end / 1e-5));
  const double h = end / steps;
  double q = 0.0, v = 1.0;
  for (int k = 0; k < steps; ++k) {
    const double v1 = v, a1 = turn(q);
    const double v2 = v + 0.5 * h * a1, a2 = turn(q + 0.5 * h * v1);
    const double v3 = v + 0.5 * h * a2, a3 = turn(q + 0.5 * h * v2);
    const double v4 = v + h * a3, a4 = turn(q + h * v3);
    q += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return q;
}

// Twice in a turn all rods lie in one line: forces pass through infinity there, and positions are known by their last
// digits only in what the constraints no longer hold.
TEST(DependentPoses, ArePassedWithOrderTwo) {
  constexpr int kCount = 40;
  constexpr double kEnd = 2.0;  // the second turn; both poses have been passed
  const double angle = calcAngle(kCount, kEnd);
  double coarse = 0.0;
  for (const double step : {8e-3, 4e-3, 2e-3, 1e-3}) {
    const ModelRun run = runWindows({kCount, 1.0, 1.0}, "end: 2, step: " + number(step));
    const double error = std::abs(-run.last("first") - angle);
    EXPECT_NEAR(run.last("last"), run.last("first"), 1e-8) << step;
    if (coarse > 0.0) {
      EXPECT_LT(error, coarse / 3.0) << step;
    }
    coarse = error;
  }
  EXPECT_LT(coarse, 3e-5);
}

TEST(DependentPoses, ArePassedByFourHundredWindows) {
  const ModelRun run = runWindows({400, 1.0, 1.0}, "end: 0.8, step: 10 ms");
  EXPECT_NEAR(-run.last("first"), calcAngle(400, 0.8), 5e-3);
  EXPECT_NEAR(run.last("last"), run.last("first"), 1e-7);
}

// In whatever order joints name their bodies, and so in the axes of whichever body their equations are. A peer renews the tangents
// of forty windows 0.07 times in a step.
TEST(DependentPoses, LeaveTangentsToManySteps) {
  for (const auto& [first, isGroundFirst] :
       {std::pair{First::kAlongTheChain, true}, std::pair{First::kAlongTheChain, false},
        std::pair{First::kUpright, true}, std::pair{First::kCoupler, true}}) {
    const ModelRun run = runWindows({40, 1.0, 1.0, first, isGroundFirst}, "end: 2, step: 1 ms");
    const int order = static_cast<int>(first);
    EXPECT_LT(run.report.factorizations, 0.07 * run.report.steps) << order << isGroundFirst;
    EXPECT_LT(run.report.iterations, 2.2 * run.report.steps) << order << isGroundFirst;
    const double sign = isGroundFirst ? -1.0 : 1.0;
    EXPECT_NEAR(sign * run.last("first"), calcAngle(40, 2.0), 1e-5) << order << isGroundFirst;
  }
}

// Gaps of some joints are round-off while others are open; closed without the former, they would not agree along the chain.
TEST(DependentPoses, LeaveTangentsOfLongChainsToManySteps) {
  const ModelRun run = runWindows({400, 1.0, 1.0}, "end: 0.6, step: 1 ms");
  EXPECT_LT(run.report.factorizations, 0.15 * run.report.steps);
  EXPECT_LT(run.report.iterations, 2.2 * run.report.steps);
}

// Ten poses and more are passed by steps of up to 0.07 rad, of which some end next to a pose. The error of the angle with tangents that
// are renewed in every step is 5.6e-3 rad at 10 ms, and of order two.
TEST(DependentPoses, AddNoErrorsOfLongSteps) {
  const double angle = calcAngle(40, 10.0);
  for (const auto& [first, step] :
       {std::pair{First::kAlongTheChain, 10e-3}, std::pair{First::kAlongTheChain, 9e-3},
        std::pair{First::kAlongTheChain, 8e-3}, std::pair{First::kAlongTheChain, 7e-3},
        std::pair{First::kUpright, 10e-3}}) {
    const ModelRun run = runWindows({40, 1.0, 1.0, first}, "end: 10, step: " + number(step));
    EXPECT_NEAR(-run.last("first"), angle, 8e-3 * std::pow(step / 10e-3, 2.0))
        << static_cast<int>(first) << ' ' << step;
  }
}

// Penalties add entries to the tangents, and with them the places of all others change.
TEST(DependentPoses, LeaveTangentsToManyStepsWithPenalties) {
  const ModelRun run =
      runWindows({10, 1.0, 1.0}, "end: 0.2, step: 1 ms, augmentation: {scale: 1e3, penalty: 1e4}");
  EXPECT_NEAR(-run.last("first"), calcAngle(10, 0.2), 1e-5);
  EXPECT_LT(run.report.iterations, 4 * run.report.steps);
}

TEST(DependentPoses, KnowNoUnits) {
  for (const int count : {3, 20}) {
    const std::string time = "end: 0.8, step: 4 ms";
    const ModelRun unit = runWindows({count, 1.0, 1.0}, time);
    const ModelRun fine = runWindows({count, 1.0, 1.0}, "end: 0.8, step: 2 ms");
    const double angle = calcAngle(count, 0.8);
    EXPECT_LT(std::abs(-fine.last("first") - angle), std::abs(-unit.last("first") - angle) / 3.0);
    for (const double length : {1e-9, 1e9}) {
      for (const double mass : {1e-9, 1.0, 1e9}) {
        const ModelRun run = runWindows({count, length, mass}, time);
        EXPECT_NEAR(run.last("first"), unit.last("first"), 1e-7)
            << count << ' ' << length << ' ' << mass;
        for (const char* axis : {"force.x", "force.y"}) {
          EXPECT_NEAR(run.last(axis) / (mass * length), unit.last(axis), 1e-3 * 9.81)
              << axis << ' ' << count << ' ' << length << ' ' << mass;
        }
      }
    }
  }
}

// A crank of 0.2 m, a coupler and a rocker in a plane. With hinges at both ends of the rocker three constraints are
// redundant; with a ball and a cylinder in their place none is, and the motion and the forces in the plane are the same.
ModelRun runFourBar(bool isRedundant, const std::string& feedback, const std::string& time) {
  const std::string C = isRedundant ? "hinge" : "spherical";
  const std::string D = isRedundant ? "hinge" : "cylindrical";
  const std::string axis = ", axis: [0, 0, 1]";
  return test::runModel(
      "gravity: [0, -9.81, 0]\n"
      "nodes: {crank: [0.06, 0.08, 0], coupler: [0.36, 0.33, 0], rocker: [0.58, 0.25, 0]}\n"
      "bodies:\n"
      "  crank:   {node: crank, mass: 0.7, inertia: [0.01, 0.02, 0.02]}\n"
      "  coupler: {node: coupler, mass: 1.1, inertia: [0.03, 0.04, 0.05]}\n"
      "  rocker:  {node: rocker, mass: 0.9, inertia: [0.02, 0.01, 0.03]}\n"
      "joints:\n"
      "  A: {type: hinge, between: [ground, crank], at: [0, 0, 0]" +
          axis +
          "}\n"
          "  B: {type: hinge, between: [crank, coupler], at: [0.12, 0.16, 0]" +
          axis +
          "}\n"
          "  C: {type: " +
          C + ", between: [coupler, rocker], at: [0.6, 0.5, 0]" + (isRedundant ? axis : "") +
          "}\n"
          "  D: {type: " +
          D + ", between: [ground, rocker], at: [0.56, 0, 0]" + axis +
          "}\n"
          "sensors:\n"
          "  x: {measure: position, node: coupler}\n"
          "  v: {measure: velocity, node: coupler}\n"
          "  a: {measure: acceleration, node: coupler}\n"
          "  fA: {measure: force, joint: A}\n"
          "  fC: {measure: force, joint: C}\n"
          "  pull: {measure: force, joint: B, direction: [1, 0, 0]}\n" +
          feedback,
      "x, v, a, fA, fC, pull", time);
}

// Up to a hundredth of what a step of 1 ms errs in accelerations: guesses of shifts (9.17) may differ from step to step.
void expectSame(const ModelRun& one, const ModelRun& other, const std::string& what) {
  for (const char* output :
       {"x.x", "x.y", "v.x", "v.y", "a.x", "a.y", "fA.x", "fA.y", "fC.x", "fC.y", "pull"}) {
    double size = 1.0;
    for (const double value : one.column(output)) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < one.times().size(); ++k) {
      ASSERT_NEAR(one.column(output)[k], other.column(output)[k], 1e-5 * size)
          << what << ' ' << output << " at " << one.times()[k];
    }
  }
}

// A compliance in the equations would change accelerations by 1e-11 of the size over the square of the step.
TEST(RedundantLoop, MovesAsOneWithoutRedundancyAtAnyStep) {
  for (const char* constraints : {"index2", "index3"}) {
    for (const auto& [end, step] : {std::pair("0.5", "1 ms"), std::pair("0.02", "0.02 ms")}) {
      const std::string time = std::string("end: ") + end + ", step: " + step +
                               ", newton: {tolerance: 1e-9}, constraints: " + constraints;
      expectSame(runFourBar(false, "", time), runFourBar(true, "", time), time);
    }
  }
}

// What no motion determines, forces across the plane, stays round-off.
TEST(RedundantLoop, HasNoSelfStress) {
  const ModelRun run = runFourBar(true, "", "end: 5, step: 1 ms");
  for (const char* output : {"fA.z", "fC.z"}) {
    for (const double force : run.column(output)) ASSERT_NEAR(force, 0.0, 1e-6 * 9.81) << output;
  }
}

// The force in a joint of the loop acts back on the crank, at once and through a lag.
TEST(RedundantLoop, FeedsItsForcesBackAsOneWithoutRedundancy) {
  const std::string feedback =
      "blocks:\n"
      "  soft: {type: transfer_function, input: pull, numerator: [0.02], denominator: [0.01, 1]}\n"
      "  direct: {type: gain, input: pull, gain: -0.01}\n"
      "  sum: {type: sum, inputs: [soft, direct]}\n"
      "actuators: {motor: {type: torque, joint: A, input: sum}}\n";
  const std::string time = "end: 0.5, step: 1 ms, newton: {tolerance: 1e-9}";
  expectSame(runFourBar(false, feedback, time), runFourBar(true, feedback, time), "fed back");
}

}  // namespace
}  // namespace flexloop
