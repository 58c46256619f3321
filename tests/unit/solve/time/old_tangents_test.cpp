// Tangents that were made for a force which is no longer there (docs/theory/09_time.md, section 9.2): they are stiffer than the
// machine, so that their corrections are small, and small corrections are no reason to end an iteration.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A body of 1 kg that 1 N pushes against a brake of the given force.
std::string makeBraked(const std::string& blocks, const std::string& more, double end) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {a: {position: [0, 0, 0], velocity: [0.5, 0, 0], free: [x]}" +
         std::string(more.empty() ? "" : ", p: [3.5, 0, 0]") +
         "}\n"
         "bodies: {a: {node: a, mass: 1}" +
         std::string(more.empty() ? "" : ", p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}") +
         "}\n" + more +
         "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}, v: {measure: "
         "velocity, node: a, direction: [1, 0, 0]}}\n"
         "blocks:\n" +
         blocks +
         "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: u}}\n"
         "loads: {g: {node: a, force: [1, 0, 0]}}\n"
         "outputs: [x, v, u]\n"
         "analysis: {time: {end: " +
         std::to_string(end) + ", step: 1 ms}}\n";
}

constexpr const char* kFading =
    "  u: {type: expression, inputs: [v], value: \"= -1e6*v*exp(-t/0.01)\"}\n";
constexpr const char* kPendulum =
    "joints: {h: {type: hinge, between: [ground, p], at: [3, 0, 0], axis: [0, 1, 0]}}\n";

// J v' = 1 - c(t) v with c = 1e6 exp(-t/T): J v is the integral of exp(-(C(t) - C(s))/J) over s, C that of c.
double calcFadingSpeed(double t, double inertia) {
  constexpr double kTime = 0.01;
  constexpr int kParts = 200000;
  const auto f = [&](double s) {
    return std::exp(-1e6 / inertia * kTime * (std::exp(-s / kTime) - std::exp(-t / kTime)));
  };
  double sum = 0.5 * (f(0.0) + f(t));
  for (int i = 1; i < kParts; ++i) sum += f(t * i / kParts);
  return sum * t / kParts / inertia;
}

TEST(OldTangents, ABrakeThatFadesLetsItsBodyGo) {
  const ModelRun run = runModel(makeBraked(kFading, "", 0.5));
  EXPECT_NEAR(run.last("v"), calcFadingSpeed(0.5, 1.0), 1e-3);
}

// What others do shows nothing of the brake.
TEST(OldTangents, ABrakeThatFadesBesideAPendulumLetsItsBodyGo) {
  const ModelRun run = runModel(makeBraked(kFading, kPendulum, 0.5));
  EXPECT_NEAR(run.last("v"), calcFadingSpeed(0.5, 1.0), 1e-3);
}

TEST(OldTangents, ABrakeThatFadesInAJointLetsItTurn) {
  for (const char* constraints : {"index2", "index3"}) {
    const ModelRun run = runModel(
        "gravity: [0, 0, -9.81]\n"
        "nodes: {p: [0.5, 0, 0]}\n"
        "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
        "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 0, 1], "
        "start_rate: 2}}\n"
        "sensors: {w: {measure: rate, joint: h}}\n"
        "blocks: {u: {type: expression, inputs: [w], value: \"= 1 - 1e6*w*exp(-t/0.01)\"}}\n"
        "actuators: {m: {type: torque, joint: h, input: u}}\n"
        "outputs: [w]\n"
        "analysis: {time: {end: 0.5, step: 1 ms, constraints: " +
        std::string(constraints) + "}}\n");
    EXPECT_NEAR(run.last("w"), calcFadingSpeed(0.5, 0.27), 4e-3) << constraints;
  }
}

// The last ramp of a brake s = (0.22 - t) c/0.02 leaves the integral of exp(-c T^2/0.04) over T, and 1 m/s^2 from then on. A
// step in which the body is stuck would cost 1e-3 m/s.
TEST(OldTangents, ABrakeThatIsReleasedLetsItsBodyGo) {
  for (const double c : {1e5, 1e7, 1e9}) {
    const std::string blocks =
        "  s: {type: table, time: [0, 0.1, 0.12, 0.2, 0.22], value: [0, 0, " + std::to_string(c) +
        ", " + std::to_string(c) + ", 0]}\n  u: {type: product, inputs: [s, -v]}\n";
    const ModelRun run = runModel(makeBraked(blocks, "", 0.3));
    const double expected = 0.08 + 0.5 * std::sqrt(std::acos(-1.0) * 0.04 / c);
    EXPECT_NEAR(run.last("v"), expected, 1e-3) << c;
  }
}

// 1e9 v^5 brakes with 3e7 N at the start, and in the end with as much as pushes.
TEST(OldTangents, ABrakeThatSoftensAsItSlowsComesToItsSpeed) {
  const ModelRun run = runModel(
      makeBraked("  u: {type: expression, inputs: [v], value: \"= -1e9*v^5\"}\n", "", 0.2));
  EXPECT_NEAR(run.last("u"), -1.0, 1e-2);
  EXPECT_NEAR(run.last("v"), std::pow(1e-9, 0.2), 1e-4);
}

// A beam that spins turns under its tangents: what they leave of a residual is as large as it was, in another direction. Without
// any look at residuals the run takes 4843 iterations.
TEST(OldTangents, OfABeamThatSpinsAreNotContradictedByItsTurn) {
  const ModelRun run = runModel(
      "sections: {blade: {type: stiffness, EA: 1e5, GAy: 1e5, GAz: 1e5, GJ: 10, EIy: 1, EIz: 1, "
      "rhoA: 1, rhoJ: [2e-5, 1e-5, 1e-5]}}\n"
      "nodes: {root: {position: [0, 0, 0], angular_velocity: [0, 0, 6]}, tip: {position: [1, 0, "
      "0], velocity: [0, 6, 0], angular_velocity: [0, 0, 6]}}\n"
      "beams: {blade: {from: root, to: tip, elements: 16, section: blade, y_axis: [0, 1, 0], "
      "damping: 1e-4}}\n"
      "joints: {shaft: {type: hinge, between: [ground, root], axis: [0, 0, 1], drive: angle}}\n"
      "blocks: {angle: {type: ramp, slope: 6}}\n"
      "outputs: [{name: tip, measure: position, node: tip}]\n"
      "analysis: {time: {end: 2, step: 1 ms, rho: 0.8}}\n");
  EXPECT_LT(run.report.iterations, 1.05 * 4843);
}

}  // namespace
}  // namespace flexloop::test
