// Angles are counted by the motion itself: any speed, any step (docs/theory/06_joints.md, section 6.6).
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

// With all digits.
std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// A rotor with J = 0.1 kg m² about z.
std::string rotor(double rate, const std::string& joint, const std::string& more) {
  return "nodes: {A: {position: [0, 0, 0], angular_velocity: [0, 0, " + text(rate) +
         "]}}\n"
         "bodies: {A: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
         "joints: {h: {between: [ground, A], axis: [0, 0, 1], " +
         joint +
         "}}\n"
         "sensors:\n"
         "  q: {measure: angle, joint: h}\n"
         "  w: {measure: rate, joint: h}\n"
         "  r: {measure: rotation, node: A, direction: [0, 0, 1]}\n"
         "outputs: [q, w, r]\n" +
         more;
}

std::string time(double end, double step, const std::string& more = "") {
  return "analysis: {time: {end: " + text(end) + ", step: " + text(step) + more + "}}\n";
}

TEST(TurnCount, IsThatOfTheMotionForAnyTurnInAStep) {
  for (const double angle :
       {0.1, 3.0, 3.2, 3.5, kPi, 2.0 * kPi, 7.0, 4.0 * kPi, 10.0, 62.8, 500.0}) {
    for (const char* joint : {"type: hinge", "type: cylindrical", "type: planar"}) {
      for (const double sign : {1.0, -1.0}) {
        SCOPED_TRACE(std::string(joint) + ", " + text(sign * angle) + " rad in a step");
        const ModelRun run = runModel(rotor(sign * angle / 0.01, joint, time(0.1, 0.01)));
        EXPECT_NEAR(run.last("q"), sign * 10.0 * angle, 1e-7 * angle);
        EXPECT_NEAR(run.last("r"), sign * 10.0 * angle, 1e-7 * angle);
        EXPECT_NEAR(run.last("w"), sign * angle / 0.01, 1e-6 * angle);
      }
    }
  }
}

TEST(TurnCount, OfAScrewIsThatOfItsThread) {
  for (const double angle : {0.1, 3.3, 7.0, 62.8}) {
    const ModelRun run =
        runModel("nodes: {A: {position: [0, 0, 0], angular_velocity: [0, 0, " + text(angle / 0.01) +
                 "], velocity: [0, 0, " + text(angle / 0.01 * 1e-3 / (2.0 * kPi)) +
                 "]}}\n"
                 "bodies: {A: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {h: {type: screw, between: [ground, A], axis: [0, 0, 1], pitch: 1e-3}}\n"
                 "sensors: {q: {measure: angle, joint: h}, d: {measure: displacement, joint: h}}\n"
                 "outputs: [q, d]\n" +
                 time(0.1, 0.01));
    EXPECT_NEAR(run.last("q"), 10.0 * angle, 1e-6 * angle);
    EXPECT_NEAR(run.last("d"), 10.0 * angle * 1e-3 / (2.0 * kPi), 1e-9 * angle);
  }
}

// φ = 500 sin 0.1t; 3.2 rad in a step of 64 ms.
TEST(TurnCount, ASpringIsWoundByAllTurns) {
  for (const char* spring :
       {"type: hinge, stiffness: 1e-3", "type: cylindrical, rotation: {stiffness: 1e-3}"}) {
    const ModelRun run = runModel(rotor(50.0, spring, time(5.0, 0.064)));
    EXPECT_NEAR(run.last("q"), 500.0 * std::sin(0.5), 0.01);
    EXPECT_NEAR(run.last("w"), 50.0 * std::cos(0.5), 0.01);
  }
  const ModelRun apart = runModel(rotor(
      50.0, "type: hinge",
      "springs: {s: {type: torsional, between: [ground, A], axis: [0, 0, 1], stiffness: 1e-3}}\n" +
          time(5.0, 0.064)));
  EXPECT_NEAR(apart.last("w"), 50.0 * std::cos(0.5), 0.01);
}

// φ' = 50 exp(−0.01 t): 475.8 rad in 10 s, with all defaults.
TEST(TurnCount, IsRightWithAdaptiveSteps) {
  const ModelRun run =
      runModel(rotor(50.0, "type: hinge, damping: 1e-3", time(10.0, 1e-3, ", adaptive: true")));
  EXPECT_NEAR(run.last("q"), 5000.0 * (1.0 - std::exp(-0.1)), 0.05);
  EXPECT_NEAR(run.last("w"), 50.0 * std::exp(-0.1), 1e-3);
}

// Both nodes turn, about an axis that is none of the ground, and one carries the other.
TEST(TurnCount, IsThatOfTheRelativeMotion) {
  const double s = std::sqrt(1.0 / 3.0);
  for (const double rate : {30.0, 400.0, 1000.0}) {
    const std::string omega =
        "[" + text(rate * s) + ", " + text(rate * s) + ", " + text(rate * s) + "]";
    const std::string other = "[" + text(-0.7 * rate * s) + ", " + text(-0.7 * rate * s) + ", " +
                              text(-0.7 * rate * s) + "]";
    const ModelRun run = runModel(
        "nodes:\n"
        "  A: {position: [0, 0, 0], rotation: {axis: [1, 0, 2], angle: 50 deg}, "
        "angular_velocity: " +
        omega +
        "}\n"
        "  B: {position: [0, 0, 0], rotation: {axis: [0, 1, 2], angle: 20 deg}, "
        "angular_velocity: " +
        other +
        "}\n"
        "bodies: {A: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]},\n"
        "  B: {node: B, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {h: {type: hinge, between: [A, B], axis: [1, 1, 1]}}\n"
        "sensors: {q: {measure: angle, joint: h}}\noutputs: [q]\n" +
        time(0.1, 0.01));
    EXPECT_NEAR(run.last("q"), -0.17 * rate, 1e-4 * rate) << rate;
  }
}

// A drive is followed with all its turns, also where it starts far from zero, and so are the angle and a
// spring beside it.
TEST(TurnCount, ADriveIsFollowedFromWhereItStarts) {
  for (const double start : {0.0, 2.0, 4.0, -100.0, 1000.0}) {
    for (const double rate : {0.0, 50.0, 1000.0, -3000.0}) {
      SCOPED_TRACE(text(start) + " + " + text(rate) + " t");
      const std::string drive =
          "blocks: {u: {type: ramp, slope: " + text(rate) + ", offset: " + text(start) + "}}\n";
      const ModelRun run =
          runModel(rotor(0.0, "type: hinge, stiffness: 2, drive: u", drive + time(0.1, 0.01)));
      EXPECT_NEAR(run.at(0.0, "q"), start, 1e-9 * (1.0 + std::abs(start)));
      EXPECT_NEAR(run.last("q"), start + 0.1 * rate, 1e-6);
      EXPECT_NEAR(run.last("w"), rate, 1e-6 * (1.0 + std::abs(rate)));
    }
  }
}

// 1000 sin 30t: between two steps of 10 ms it moves on by up to 300 rad, and by more than a turn beyond
// what any expectation from the last step knows.
TEST(TurnCount, ADriveThatOutrunsEveryExpectationIsFollowed) {
  const ModelRun run = runModel(rotor(
      0.0, "type: hinge, drive: u",
      "blocks: {u: {type: sine, amplitude: 1000, frequency: 4.7746 Hz}}\n" + time(0.1, 0.01)));
  for (const double t : run.times()) {
    EXPECT_NEAR(run.at(t, "q"), 1000.0 * std::sin(2.0 * kPi * 4.7746 * t), 1e-6) << t;
  }
}

TEST(TurnCount, ALockBeyondHalfATurnIsMeasuredAsSuch) {
  for (const double target : {1.0, 4.0, -40.0}) {
    const ModelRun run =
        runModel(rotor(0.0, "type: hinge, drive: " + text(target), time(0.1, 0.01)));
    EXPECT_NEAR(run.at(0.0, "q"), target, 1e-9);
    EXPECT_NEAR(run.last("q"), target, 1e-9);
  }
}

// A screw that starts four radians on has moved along its thread.
TEST(TurnCount, AScrewThatIsDrivenStartsOnItsThread) {
  const ModelRun run = runModel(
      "nodes: {A: {position: [0, 0, 0]}}\n"
      "bodies: {A: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {h: {type: screw, between: [ground, A], axis: [0, 0, 1], pitch: 0.02, drive: u}}\n"
      "blocks: {u: {type: ramp, slope: 500, offset: 4}}\n"
      "sensors: {q: {measure: angle, joint: h}, d: {measure: displacement, joint: h}}\n"
      "outputs: [q, d]\n" +
      time(0.1, 0.01));
  EXPECT_NEAR(run.at(0.0, "q"), 4.0, 1e-9);
  EXPECT_NEAR(run.at(0.0, "d"), 4.0 * 0.02 / (2.0 * kPi), 1e-10);
  EXPECT_NEAR(run.last("q"), 54.0, 1e-6);
  EXPECT_NEAR(run.last("d"), 54.0 * 0.02 / (2.0 * kPi), 1e-8);
}

}  // namespace
}  // namespace flexloop::test
