// Small vibrations of machines that travel, fall or spin (docs/theory/09_time.md, section 9.7): adaptive steps resolve them
// as those of a machine at rest. Truth is A sin ωt.
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

const double kPi = std::acos(-1.0);

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

std::string adaptive(double end, double step) {
  return "end: " + text(end) + ", step: " + text(step) + ", adaptive: true";
}

// The largest difference of u from A sin ωt, as a share of A.
double findError(const ModelRun& run, const std::string& u, double amplitude, double omega) {
  double largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double exact = amplitude * std::sin(omega * run.times()[i]);
    largest = std::max(largest, std::abs(run.column(u)[i] - exact) / amplitude);
  }
  return largest;
}

struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;
};

// Two wagons five metres apart, with a coupler of 10 Hz that is stretched by up to A.
ModelRun runTrain(double speed, double amplitude, const std::string& more, const Units& unit = {}) {
  const double omega = 20.0 * kPi / unit.time, A = amplitude * unit.length;
  const double v = speed * unit.length / unit.time, m = unit.mass;
  const std::string J = text(m * unit.length * unit.length);
  const std::string body = ", mass: " + text(m) + ", inertia: [" + J + ", " + J + ", " + J + "]}";
  return runModel(more + "nodes: {a: {position: [0, 0, 0], velocity: [" + text(v) +
                      ", 0, 0]}, b: {position: [" + text(5.0 * unit.length) +
                      ", 0, 0], velocity: [" + text(v + A * omega) +
                      ", 0, 0]}}\n"
                      "bodies: {a: {node: a" +
                      body + ", b: {node: b" + body +
                      "}\n"
                      "springs: {k: {type: linear, between: [a, b], direction: [1, 0, 0], "
                      "stiffness: " +
                      text(0.5 * m * omega * omega) +
                      "}}\n"
                      "sensors: {p: {measure: displacement, node: a, direction: [1, 0, 0]},\n"
                      "  q: {measure: displacement, node: b, direction: [1, 0, 0]}}\n"
                      "blocks: {u: {type: sum, inputs: [q, -p]}}\n",
                  "u", adaptive(unit.time, 1e-3 * unit.time));
}

TEST(RelativeMotion, ATrainThatTravelsIsResolvedAsOneAtRest) {
  const ModelRun rest = runTrain(0.0, 1e-4, "");
  EXPECT_LT(findError(rest, "u", 1e-4, 20.0 * kPi), 0.02);
  for (const double speed : {0.1, 10.0, 100.0}) {
    const ModelRun run = runTrain(speed, 1e-4, "");
    EXPECT_LT(findError(run, "u", 1e-4, 20.0 * kPi), 0.02) << speed;
    EXPECT_LT(run.report.steps, 1.3 * rest.report.steps) << speed;
  }
}

TEST(RelativeMotion, InWhateverUnits) {
  for (const Units& unit : {Units{1e9, 1.0, 1.0}, Units{1e-9, 1.0, 1.0}, Units{1.0, 1e9, 1.0},
                            Units{1.0, 1e-9, 1.0}, Units{1.0, 1.0, 1e9}, Units{1.0, 1.0, 1e-9}}) {
    const ModelRun run = runTrain(10.0, 1e-4, "", unit);
    const double error = findError(run, "u", 1e-4 * unit.length, 20.0 * kPi / unit.time);
    EXPECT_LT(error, 0.02) << unit.mass << " " << unit.length << " " << unit.time;
  }
}

// A fall is a rigid motion too, and a machine beside it another.
TEST(RelativeMotion, ATrainThatFallsIsResolved) {
  const ModelRun run = runTrain(10.0, 1e-4, "gravity: [3, 0, -9.81]\n");
  EXPECT_LT(findError(run, "u", 1e-4, 20.0 * kPi), 0.02);
}

// Two discs that spin at the same speed but for a torsion of 10 Hz; held by their freedoms or by bearings, at one place or
// beside each other.
TEST(RelativeMotion, TorsionOfDiscsThatSpin) {
  const double omega = 20.0 * kPi, A = 1e-5;
  for (const double spin : {0.0, 100.0, 1000.0}) {
    for (const char* place : {"[0, 0, 1]", "[0, 0, 0]", "[1, 0, 0]"}) {
      for (const bool hasBearings : {false, true}) {
        const std::string free = hasBearings ? "" : ", free: [rz]";
        const std::string bearings = std::string(
            "joints: {ha: {type: hinge, between: [ground, a], axis: [0, 0, 1]}, hb: "
            "{type: hinge, between: [ground, b], axis: [0, 0, 1]}}\n");
        const ModelRun run = runModel(
            "nodes: {a: {position: [0, 0, 0], angular_velocity: [0, 0, " + text(spin) + "]" + free +
                "}, b: {position: " + place + ", angular_velocity: [0, 0, " +
                text(spin + A * omega) + "]" + free +
                "}}\n"
                "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, "
                "inertia: [1, 1, 1]}}\n" +
                (hasBearings ? bearings : "") +
                "springs: {k: {type: torsional, between: [a, b], axis: [0, 0, 1], stiffness: " +
                text(0.5 * omega * omega) +
                "}}\n"
                "sensors: {T: {measure: torque, spring: k, direction: [0, 0, 1]}}\n",
            "T", adaptive(0.3, 1e-3));
        const double error = findError(run, "T", 0.5 * omega * omega * A, omega);
        const double other = findError(run, "T", -0.5 * omega * omega * A, omega);
        EXPECT_LT(std::min(error, other), 0.02) << spin << place << hasBearings;
      }
    }
  }
}

// Two masses on a tether go round each other, and neither turns. With l² θ' constant the length vibrates by
// δ'' = −(2k/m + 3Ω²) δ.
TEST(RelativeMotion, ATetherThatGoesRound) {
  const double spin = 30.0, k = 2000.0, A = 1e-5;
  const double omega = std::sqrt(2.0 * k + 3.0 * spin * spin);
  const double free = 1.0 - spin * spin / (2.0 * k);  // its length is 1 while it goes round
  const ModelRun run = runModel(
      "nodes: {a: {position: [-0.5, 0, 0], velocity: [" + text(-0.5 * A * omega) + ", " +
          text(-0.5 * spin) + ", 0]}, b: {position: [0.5, 0, 0], velocity: [" +
          text(0.5 * A * omega) + ", " + text(0.5 * spin) +
          ", 0]}}\n"
          "bodies: {a: {node: a, mass: 1, inertia: [0.1, 0.1, 0.1]}, b: {node: b, mass: 1, "
          "inertia: [0.1, 0.1, 0.1]}}\n"
          "springs: {k: {type: distance, between: [a, b], stiffness: " +
          text(k) + ", length: " + text(free) +
          "}}\n"
          "sensors: {pa: {measure: position, node: a}, pb: {measure: position, node: b}}\n",
      "pa, pb", adaptive(0.5, 1e-3));
  double largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double length = std::hypot(run.column("pb.x")[i] - run.column("pa.x")[i],
                                     run.column("pb.y")[i] - run.column("pa.y")[i]);
    const double exact = A * std::sin(omega * run.times()[i]);
    largest = std::max(largest, std::abs(length - 1.0 - exact) / A);
  }
  EXPECT_LT(largest, 0.02);
}

// A wheel on a hinge is no part of the frame that vibrates, and its spin costs nothing.
TEST(RelativeMotion, AWheelHidesNothing) {
  const double omega = 20.0 * kPi, A = 1e-4;
  const ModelRun wheel = runModel(
      "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0]}, w: {position: [0, 0, 0.2], velocity: "
      "[1, 0, 0], angular_velocity: [0, 0, 500]}}\n"
      "bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, w: {node: w, mass: 1, inertia: "
      "[1, 1, 1]}}\n"
      "joints: {h: {type: hinge, between: [a, w], at: [0, 0, 0.2], axis: [0, 0, 1]}}\n"
      "sensors: {p: {measure: displacement, node: a, direction: [1, 0, 0]}}\n",
      "p", adaptive(1.0, 1e-3));
  EXPECT_LT(wheel.report.steps, 100);
  const ModelRun panel = runModel(
      "nodes: {a: {position: [0, 0, 0], velocity: [1, 0, 0]}, w: {position: [0, 0, 0.2], velocity: "
      "[1, 0, 0], angular_velocity: [0, 0, 500]}, b: {position: [3, 0, 0], velocity: [" +
          text(1.0 + A * omega) +
          ", 0, 0], free: [x]}}\n"
          "bodies: {a: {node: a, mass: 0.5, inertia: [1, 1, 1]}, w: {node: w, mass: 0.5, inertia: "
          "[1, 1, 1]}, b: {node: b, mass: 1}}\n"
          "joints: {h: {type: hinge, between: [a, w], at: [0, 0, 0.2], axis: [0, 0, 1]}}\n"
          "springs: {k: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: " +
          text(0.5 * omega * omega) +
          "}}\n"
          "sensors: {p: {measure: displacement, node: a, direction: [1, 0, 0]},\n"
          "  q: {measure: displacement, node: b, direction: [1, 0, 0]}}\n"
          "blocks: {u: {type: sum, inputs: [q, -p]}}\n",
      "u", adaptive(0.5, 1e-3));
  EXPECT_LT(findError(panel, "u", A, omega), 0.02);
}

// A trolley travels, and what hangs on it swings by 10⁻⁴ rad.
TEST(RelativeMotion, APendulumThatIsCarriedAlong) {
  const double omega = std::sqrt(9.81), A = 1e-4;
  const ModelRun run = runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {c: {position: [0, 0, 0], velocity: [2, 0, 0]}, p: [0, 0, -1]}\n"
      "bodies: {c: {node: c, mass: 1e9, inertia: [1, 1, 1]}, p: {node: p, mass: 1}}\n"
      "joints: {s: {type: slider, between: [ground, c], axis: [1, 0, 0]},\n"
      "  h: {type: hinge, between: [c, p], at: [0, 0, 0], axis: [0, 1, 0], start_rate: " +
          text(A * omega) +
          "}}\n"
          "sensors: {q: {measure: angle, joint: h}}\n",
      "q", adaptive(5.0, 1e-3));
  EXPECT_LT(findError(run, "q", A, omega), 0.02);
}

// Nothing moves against each other, and nothing asks for short steps.
TEST(RelativeMotion, RigidMotionCostsNothing) {
  const ModelRun rest = runTrain(0.0, 0.0, "");
  EXPECT_LT(rest.report.steps, 60);
  const ModelRun flight = runTrain(50.0, 0.0, "gravity: [0, 0, -9.81]\n");
  EXPECT_LT(flight.report.steps, 60);
}

}  // namespace
}  // namespace flexloop::test
