// Blows: forces that are a thousand times as large as all others for a thousandth of a step (docs/theory/09_time.md, sections 9.5
// and 9.9).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A body of 1 kg on a hinge, 1 m from it, is struck across with 1 N s.
std::string makeStruck(double width, double length, const std::string& time) {
  const std::string inertia = number(0.1 * length * length);
  return "nodes: {a: [" + number(length) +
         ", 0, 0]}\n"
         "bodies: {a: {node: a, mass: 1, inertia: [" +
         inertia + ", " + inertia + ", " + inertia +
         "]}}\n"
         "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
         "sensors: {q: {measure: angle, joint: h}, w: {measure: rate, joint: h}, F: {measure: "
         "force, "
         "joint: h}}\n"
         "blocks: {p: {type: pulse, period: 100, start: 20.3 ms, width: " +
         number(width) + ", high: " + number(length / width) +
         "}}\n"
         "actuators: {f: {type: force, node: a, direction: [0, 0, 1], input: p}}\n"
         "outputs: [q, w, F]\n"
         "analysis: {time: {end: 0.4, step: 1 ms, " +
         time + "}}\n";
}

// It turns by 1/1.1 rad/s from then on. Its acceleration times the square of a step is no way that it goes: it would leave its circle.
TEST(Blow, TurnsABodyOnAHinge) {
  constexpr double kRate = 1.0 / 1.1;
  for (const char* constraints : {"index2", "index3"}) {
    for (const char* rho : {"0.5", "0.8", "0.95"}) {
      for (const double width : {1e-5, 1e-6, 1e-7}) {
        for (const double length : {1e-6, 1.0, 1e6}) {
          SCOPED_TRACE(std::string(constraints) + " rho " + rho + " " + number(width) + " s " +
                       number(length) + " m");
          const ModelRun run = runModel(makeStruck(
              width, length, std::string("rho: ") + rho + ", constraints: " + constraints));
          EXPECT_NEAR(std::abs(run.last("w")), kRate, 1e-3 * kRate);
          // Within the travel of a step.
          EXPECT_NEAR(std::abs(run.last("q")), kRate * (0.4 - 0.0203), 1e-3 * kRate);
          EXPECT_NEAR(std::hypot(run.last("F.x"), run.last("F.z")) / length, kRate * kRate,
                      2e-3 * kRate * kRate);
        }
      }
    }
  }
}

// A double pendulum that is struck by 1 N s, beside the same run with tighter iterations.
std::string makePendulum(const std::string& time) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {a: [0.5, 0, 0], b: [1.3, 0, 0]}\n"
         "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.08, 0.1]}, b: {node: b, mass: 0.7, "
         "inertia: [0.01, 0.03, 0.02]}}\n"
         "joints:\n"
         "  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], damping: 0.1}\n"
         "  h2: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], stiffness: 3}\n"
         "sensors: {q1: {measure: angle, joint: h1}, q2: {measure: angle, joint: h2}, F: {measure: "
         "force, joint: h1}}\n"
         "actuators: {f: {type: force, node: b, direction: [0, 0, 1], input: p}}\n"
         "blocks: {p: {type: pulse, period: 100, start: 20.3 ms, width: 1 us, high: 1e6}}\n"
         "outputs: [F, q1, q2]\n"
         "analysis: {time: {end: 0.6, step: 1 ms, " +
         time + "}}\n";
}

// By 20 µs steps, which converge with order 2 and take 1 µs for the blow: q1 and q2 after 0.2 s.
TEST(Blow, MovesADoublePendulum) {
  const ModelRun run = runModel(makePendulum("rho: 0.8"));
  EXPECT_NEAR(run.at(0.2, "q1"), 0.108460, 2e-3);
  EXPECT_NEAR(run.at(0.2, "q2"), -0.414564, 5e-3);
}

// What the tolerance left open beside 10⁶ N would be forces of 1 N for ever. With index 3 both runs also differ in where the blow leads.
TEST(Blow, IsForgottenByIterations) {
  for (const auto& [constraints, allowed] : {std::pair{"index2", 2e-3}, std::pair{"index3", 0.1}}) {
    const std::string form = std::string("constraints: ") + constraints;
    const ModelRun run = runModel(makePendulum(form));
    const ModelRun tight = runModel(makePendulum(form + ", newton: {tolerance: 1e-11}"));
    double error = 0.0;
    for (const double t : run.times()) {
      if (t < 0.35) continue;
      error = std::max({error, std::abs(run.at(t, "F.x") - tight.at(t, "F.x")),
                        std::abs(run.at(t, "F.z") - tight.at(t, "F.z"))});
    }
    EXPECT_LT(error, allowed) << constraints;  // of 10 N
  }
}

}  // namespace
}  // namespace flexloop::test
