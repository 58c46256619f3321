// Velocities across joints: what steps of index 3, and those without any damping, make of them (docs/theory/09_time.md,
// sections 9.4 and 9.6).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A top that turns by 0.4 rad in a step of 1 ms.
std::string makeTop(const std::string& time, const std::string& formulation = "local") {
  return "formulation: " + formulation +
         "\n"
         "gravity: [0, 0, -9.81]\n"
         "nodes: {a: {position: [0.12855752193730785, 0, 0.15320888862379567], rotation: {axis: "
         "[0, 1, 0], angle: 40 deg}, angular_velocity: [257.115, 0, 306.418]}}\n"
         "bodies: {a: {node: a, mass: 1, inertia: [.02, .02, .01]}}\n"
         "joints: {s: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n"
         "sensors: {e: {measure: energy}}\n"
         "outputs: [e]\n"
         "analysis: {time: {end: 0.5, " +
         time + "}}\n";
}

double findEnergyChange(const ModelRun& run) {
  double change = 0.0;
  for (const double e : run.column("e.total")) {
    change = std::max(change, std::abs(e - run.column("e.total").front()));
  }
  return change;
}

// Right or refused: energy never explodes without a word.
TEST(NormalVelocity, ThatGrowsWithIndex3EndsTheRun) {
  for (const char* rho : {"0.8", "0.9", "0.99"}) {
    const ModelRun run =
        tryModel(makeTop(std::string("step: 1 ms, constraints: index3, rho: ") + rho));
    EXPECT_FALSE(run.report.ok()) << rho;
    EXPECT_TRUE(says(messageOf(run.report.failure), "'s: position"))
        << messageOf(run.report.failure);
    EXPECT_TRUE(says(messageOf(run.report.failure), "0.4 rad in a step"))
        << messageOf(run.report.failure);
    EXPECT_TRUE(says(run.report.failure->hint, "index2")) << run.report.failure->hint;
    EXPECT_LT(findEnergyChange(run), 0.5) << rho;  // of 801 J
  }
}

TEST(NormalVelocity, ThatStaysSmallDoesNot) {
  const std::string index3 = "constraints: index3, ";
  for (const std::string& top :
       {makeTop(index3 + "step: 1 ms, rho: 0.6"), makeTop(index3 + "step: 0.25 ms, rho: 0.8"),
        makeTop(index3 + "step: 1 ms, rho: 0.9", "se3"), makeTop("step: 1 ms, rho: 0.9")}) {
    const ModelRun run = tryModel(top);
    EXPECT_TRUE(run.report.ok()) << messageOf(run.report.failure);
    EXPECT_LT(findEnergyChange(run), 0.5);
  }
}

// A double pendulum, and short pulses that push a body which it does not feel.
std::string makePendulum(double pulse, const std::string& blocks = {}) {
  return "gravity: [0, 0, -9.81]\n"
         "nodes: {a: [0.5, 0, 0], b: [1.3, 0, 0], z: {position: [0, 3, 0], free: [x]}}\n"
         "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.08, 0.1]}, b: {node: b, mass: 0.7, "
         "inertia: [0.01, 0.03, 0.02]}, z: {node: z, mass: 1}}\n"
         "joints:\n"
         "  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], damping: 0.1}\n"
         "  h2: {type: hinge, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], stiffness: 3}\n"
         "sensors: {q1: {measure: angle, joint: h1}, q2: {measure: angle, joint: h2}, F: {measure: "
         "force, joint: h1, direction: [0, 0, 1]}}\n"
         "actuators: {f: {type: force, node: z, direction: [1, 0, 0], input: p}}\n"
         "blocks:\n"
         "  p: {type: pulse, period: 3.7 ms, duty: 0.01, high: " +
         std::to_string(pulse) + "}\n" + blocks;
}

double findLargestDifference(const ModelRun& a, const ModelRun& b, const std::string& output) {
  double largest = 0.0;
  for (const double t : a.times()) {
    largest = std::max(largest, std::abs(a.at(t, output) - b.at(t, output)));
  }
  return largest;
}

// The pulses cut steps; what they do beside that must not count.
TEST(NormalVelocity, OfIndex3DoesNotFeelPulsesElsewhere) {
  for (const char* rho : {"0.8", "0.95"}) {
    const std::string time =
        std::string("end: 0.5, step: 1 ms, constraints: index3, record: {interval: 10 ms}, rho: ") +
        rho;
    const ModelRun quiet = runModel(makePendulum(1e-6), "F", time);
    const ModelRun loud = runModel(makePendulum(50.0), "F", time);
    EXPECT_LT(findLargestDifference(quiet, loud, "F"), 2e-3) << rho;  // of 10 N; it was 0.1
  }
}

// Events and late clocks make steps as short as 10⁻⁸ of the others.
TEST(NormalVelocity, IsNoForceInShortStepsWithoutDamping) {
  const std::string blocks =
      "  e1: {type: hold, input: q1, sample: 1 ms, offset: 0.013 ms}\n"
      "  e2: {type: quantizer, input: q2, step: 0.003}\n";
  const std::string time = "end: 0.5, step: 1 ms, record: {interval: 10 ms}, rho: ";
  const ModelRun damped = runModel(makePendulum(50.0, blocks), "F, q1", time + "0.8");
  const ModelRun undamped = runModel(makePendulum(50.0, blocks), "F, q1", time + "1");
  EXPECT_LT(findLargestDifference(damped, undamped, "F"), 1e-2);
  EXPECT_LT(findLargestDifference(damped, undamped, "q1"), 1e-5);
}

// A body of 2 kg on a hinge at a distance of one unit, which a stop that is as steep as it likes turns back. Angle and rate by
// the classical method of Runge and Kutta.
struct Swing {
  double stop = 0.0;  // stiffness

  double calcTorque(double q) const {
    const double in = q - 0.6;
    return -stop * (in + std::sqrt(in * in + 1e-4));
  }
  double calcAcceleration(double q) const {
    return (2.0 * 9.81 * std::cos(q) + calcTorque(q)) / 2.1;
  }
  std::array<double, 2> calcForce(const std::array<double, 2>& at) const {
    const double q = at[0], w = at[1], a = calcAcceleration(q);
    return {2.0 * (-std::sin(q) * a - std::cos(q) * w * w),
            2.0 * (-std::cos(q) * a + std::sin(q) * w * w + 9.81)};
  }
  std::array<double, 2> advance(const std::array<double, 2>& at, double time) const {
    constexpr int kParts = 200;
    const double h = time / kParts;
    double q = at[0], w = at[1];
    for (int i = 0; i < kParts; ++i) {
      const double a1 = calcAcceleration(q), w2 = w + 0.5 * h * a1;
      const double a2 = calcAcceleration(q + 0.5 * h * w), w3 = w + 0.5 * h * a2;
      const double a3 = calcAcceleration(q + 0.5 * h * w2), w4 = w + h * a3;
      const double a4 = calcAcceleration(q + h * w3);
      q += h / 6.0 * (w + 2.0 * w2 + 2.0 * w3 + w4);
      w += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return {q, w};
  }
  std::string write(double length) const {
    const auto text = [](double x) {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%.17g", x);
      return std::string(buffer);
    };
    const std::string inertia = text(0.1 * length * length);
    return "gravity: [0, 0, " + text(-9.81 * length) + "]\nnodes: {a: [" + text(length) +
           ", 0, 0]}\n"
           "bodies: {a: {node: a, mass: 2, inertia: [" +
           inertia + ", " + inertia + ", " + inertia +
           "]}}\n"
           "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
           "start_rate: 2}}\n"
           "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
           "blocks: {u: {type: expression, inputs: [q], value: '= " +
           text(-stop * length * length) +
           "*(q - 0.6 + sqrt((q - 0.6)^2 + 1e-4))'}}\n"
           "actuators: {m: {type: torque, joint: h, input: u}}\n";
  }
};

// Of the largest force, by lengths of the unit.
double findForceError(const Swing& swing, const ModelRun& run, double length) {
  std::array<double, 2> at{0.0, 2.0};
  double time = 0.0, error = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    at = swing.advance(at, run.times()[i] - time);
    time = run.times()[i];
    const std::array<double, 2> force = swing.calcForce(at);
    error = std::max(error, std::hypot(run.column("F.x")[i] / length - force[0],
                                       run.column("F.z")[i] / length - force[1]));
    largest = std::max(largest, std::hypot(force[0], force[1]));
  }
  return error / largest;
}

// Steps have to become far shorter at the start, and at the stop. Where the scheme starts anew, velocities across the hinge that
// belong to longer steps would be forces of 27 times the true ones, and keep steps short.
TEST(NormalVelocity, OfLongerStepsIsNoForceWhereTheSchemeStartsAnew) {
  for (const double length : {1e-9, 1.0, 1e9}) {
    for (const double stop : {0.0, 3e4}) {
      const Swing swing{stop};
      const std::string time =
          "end: 0.3, step: 10 ms, adaptive: true, tolerance: 1e-7, constraints: ";
      const ModelRun run = runModel(swing.write(length), "F", time + "index3");
      const ModelRun other = runModel(swing.write(length), "F", time + "index2");
      // As right as with index 2, whose velocities keep to the hinge.
      EXPECT_LT(findForceError(swing, run, length), 1.5 * findForceError(swing, other, length))
          << length << " " << stop;
      EXPECT_LT(findForceError(swing, other, length), 1e-3) << length << " " << stop;
      EXPECT_LT(run.report.steps, 1.1 * other.report.steps) << length << " " << stop;
    }
  }
}

// A body of 2 kg at a distance of 1 m turns on a hinge, and a torque acts from 20.3 ms to 50.3 ms that changes its rate as fast as
// it turns: 800 rad/s² beside 20 rad/s. By force on the hinge, the largest error.
double findPushError(const std::string& time) {
  constexpr double kOn = 20.3e-3, kOff = 50.3e-3, kPush = 800.0;
  const ModelRun run = runModel(
      "nodes: {a: [1, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], start_rate: "
      "20}}\n"
      "sensors: {F: {measure: force, joint: h}}\n"
      "blocks: {u: {type: pulse, period: 10, start: 20.3 ms, width: 30 ms, high: 1680}}\n"
      "actuators: {m: {type: torque, joint: h, input: u}}\n",
      "F", "end: 0.08, " + time);
  double error = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double t = run.times()[i];
    const double pushed = std::clamp(t - kOn, 0.0, kOff - kOn), after = std::max(t - kOff, 0.0);
    const double a = t >= kOn && t < kOff ? kPush : 0.0, w = 20.0 + kPush * pushed;
    const double q = 20.0 * t + kPush * pushed * (0.5 * pushed + after);
    error = std::max(
        error, std::hypot(run.column("F.x")[i] - 2.0 * (-std::sin(q) * a - std::cos(q) * w * w),
                          run.column("F.z")[i] - 2.0 * (-std::cos(q) * a + std::sin(q) * w * w)));
  }
  return error;
}

// What holds a body on its circle depends on its acceleration along it.
TEST(NormalVelocity, FollowsJumpsOfForces) {
  for (const char* rho : {"0.5", "0.8", "0.9"}) {
    const std::string scheme = std::string(", rho: ") + rho + ", constraints: ";
    const double coarse = findPushError("step: 1 ms" + scheme + "index3");
    const double fine = findPushError("step: 0.5 ms" + scheme + "index3");
    const double other = findPushError("step: 1 ms" + scheme + "index2");
    EXPECT_GT(coarse, 1.8 * fine) << rho;
    EXPECT_LT(coarse, 2.0 * other) << rho;
  }
}

// A cart of 2 kg on a driven slider: its acceleration grows to 2 m/s² within 10 ms, and falls to nothing half a second later.
double findDriveError(const std::string& time) {
  const ModelRun run = runModel(
      "nodes: {a: [0, 0, 0]}\n"
      "bodies: {a: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {s: {type: slider, between: [ground, a], axis: [1, 0, 0], drive: x}}\n"
      "sensors: {F: {measure: force, joint: s, direction: [1, 0, 0]}}\n"
      "blocks: {x: {type: s_curve, distance: 2, velocity: 1, acceleration: 2, jerk: 200, start: "
      "20.3 ms}}\n",
      "F", "end: 0.6, " + time);
  double error = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double t = run.times()[i] - 20.3e-3;
    const double a = std::clamp(200.0 * t, 0.0, 2.0) - std::clamp(200.0 * (t - 0.5), 0.0, 2.0);
    error = std::max(error, std::abs(std::abs(run.column("F")[i]) - 2.0 * a));
  }
  return error;
}

// Of 4 N. A share of C Δv''/h would grow as steps shrink.
TEST(NormalVelocity, FollowsJumpsOfThirdDerivatives) {
  for (const char* rho : {"0.5", "0.8", "0.9"}) {
    const std::string scheme = std::string(", rho: ") + rho + ", constraints: index3";
    const double coarse = findDriveError("step: 1 ms" + scheme);
    EXPECT_LT(coarse, 0.05) << rho;
    EXPECT_LT(findDriveError("step: 0.5 ms" + scheme), 0.7 * coarse) << rho;
  }
}

}  // namespace
}  // namespace flexloop::test
