// Cams against closed forms: harmonic lift, torque, energy, and a follower that leaves.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text_format.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using base::formatText;

constexpr double kPi = std::numbers::pi, kHeight = 0.02, kMass = 2.0;

// The lift ½ h (1 − cos φ) at n points.
std::string makePoints(int n) {
  std::string angles, lifts;
  for (int i = 0; i < n; ++i) {
    const double phi = 2.0 * kPi * i / n;
    angles += (i == 0 ? "" : ", ") + formatText("%.17g", phi);
    lifts += (i == 0 ? "" : ", ") + formatText("%.17g", 0.5 * kHeight * (1.0 - std::cos(phi)));
  }
  return "angle: [" + angles + "], lift: [" + lifts + "]";
}

// A cam about y with J = 1e-3, and a follower of 2 kg that slides along z.
std::string makeCam(const std::string& shaft, const std::string& cam, const std::string& more) {
  return "nodes: {C: [0, 0, 0], F: [0, 0, 0.1]}\n"
         "bodies: {c: {node: C, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}, f: {node: F, mass: 2, "
         "inertia: [1, 1, 1]}}\n"
         "joints:\n"
         "  shaft: {type: hinge, between: [ground, C], axis: [0, 1, 0], " +
         shaft +
         "}\n"
         "  guide: {type: slider, between: [ground, F], axis: [0, 0, 1]}\n"
         "  cam: {type: cam, between: [shaft, guide], " +
         cam + "}\n" + more +
         "sensors:\n"
         "  x: {measure: displacement, joint: guide}\n  v: {measure: rate, joint: guide}\n"
         "  a: {measure: acceleration, joint: guide}\n  N: {measure: transmitted, joint: cam}\n"
         "  w: {measure: rate, joint: shaft}\n  q: {measure: angle, joint: shaft}\n"
         "  T: {measure: torque, joint: shaft, direction: [0, 1, 0]}\n";
}

// The spline errs by 1/12 d² f'''' in its curvature, at points that are d apart; the force is m f'' ω².
TEST(Cam, MovesItsFollowerAsTheProfileSays) {
  const double w = 40.0;
  std::vector<double> errors;
  for (const int n : {30, 60, 120}) {
    const ModelRun run =
        runModel(makeCam("drive: turn", makePoints(n), "blocks: {turn: {type: ramp, slope: 40}}\n"),
                 "x, v, a, N, q", "end: 0.16, step: 0.1 ms");
    double error = 0.0;
    for (std::size_t i = 0; i < run.times().size(); ++i) {
      const double phi = w * run.times()[i];
      EXPECT_NEAR(run.column("x")[i], 0.5 * kHeight * (1.0 - std::cos(phi)), kHeight * 1e-5);
      EXPECT_NEAR(run.column("v")[i], 0.5 * kHeight * w * std::sin(phi), kHeight * w * 3e-4);
      const double a = 0.5 * kHeight * w * w * std::cos(phi);
      error = std::max(error, std::abs(run.column("N")[i] - kMass * a));
    }
    errors.push_back(error / (kMass * 0.5 * kHeight * w * w));
  }
  for (int i = 0; i < 3; ++i) {
    const double d = 2.0 * kPi / (30 << i);
    EXPECT_LT(errors[i], 1.1 * d * d / 12.0) << i;
  }
}

// A cam that runs freely against its follower and a spring slows down and speeds up: J ω² + m (f' ω)² + k f² stays, over 30 turns.
TEST(Cam, ExchangesEnergyWithItsFollower) {
  const double J = 1e-3, k = 500.0, start = 30.0;
  const ModelRun run = runModel(makeCam("start_rate: 30", makePoints(60),
                                        "springs: {s: {type: linear, between: [ground, F], "
                                        "direction: [0, 0, 1], stiffness: 500}}\n"),
                                "w, q", "end: 6, step: 1 ms");
  EXPECT_GT(run.last("q"), 50.0 * kPi);
  double slowest = 1e9;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double phi = run.column("q")[i];
    const double f = 0.5 * kHeight * (1.0 - std::cos(phi)), slope = 0.5 * kHeight * std::sin(phi);
    const double w = std::sqrt((J * start * start - k * f * f) / (J + kMass * slope * slope));
    EXPECT_NEAR(run.column("w")[i], w, 5e-4 * start) << run.times()[i];
    slowest = std::min(slowest, run.column("w")[i]);
  }
  EXPECT_LT(slowest, 27.5);
}

// Under its weight the follower leaves where ½ h ω² cos φ = −g, and flies.
TEST(Cam, IsLeftByItsFollower) {
  const double w = 60.0, g = 9.81, amplitude = 0.5 * kHeight;
  const double leave = std::acos(-g / (amplitude * w * w)) / w;
  const std::string model =
      "gravity: [0, 0, -9.81]\n" + makeCam("drive: turn",
                                           makePoints(120) + ", stiffness: 1e9, damping: 2000",
                                           "blocks: {turn: {type: ramp, slope: 60}}\n");
  const ModelRun run =
      runModel(model, "x, v, N", formatText("end: %.17g, step: 10 us", leave + 0.01));
  const double x = amplitude * (1.0 - std::cos(w * leave)), v = amplitude * w * std::sin(w * leave);
  for (const double t : {0.003, 0.006, 0.01}) {
    EXPECT_NEAR(run.at(leave + t, "x"), x + v * t - 0.5 * g * t * t, 3e-6) << t;
  }
  EXPECT_EQ(run.last("N"), 0.0);
  EXPECT_GT(run.at(0.5 * leave, "N"), 0.0);
}

// A rocker turns the other way round; its cam starts at 90 degrees, and its profile does not begin at zero.
TEST(Cam, TurnsARocker) {
  const ModelRun run = runModel(R"(
nodes: {C: [0, 0, 0], R: [0.3, 0, 0]}
bodies: {c: {node: C, mass: 1, inertia: [1, 1, 1]}, r: {node: R, mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints:
  shaft: {type: hinge, between: [ground, C], axis: [0, 0, 1], drive: turn}
  pivot: {type: hinge, between: [ground, R], axis: [0, 0, -1]}
  cam: {type: rocker_cam, between: [shaft, pivot], start_angle: 90 deg, angle: [-180 deg, -90 deg, 0 deg, 90 deg, 180 deg], lift: [0.1, 0.3, 0.1, -0.1, 0.1]}
blocks: {turn: {type: ramp, slope: = 5*pi}}
sensors: {q: {measure: angle, joint: pivot}}
)",
                                "q", "end: 0.5, step: 1 ms");
  // At the points the spline is exact: lift relative to that at 90 degrees.
  EXPECT_NEAR(run.at(0.1, "q"), 0.2, 1e-5);
  EXPECT_NEAR(run.at(0.2, "q"), 0.4, 1e-5);
  EXPECT_NEAR(run.at(0.4, "q"), 0.0, 1e-5);
}

TEST(Cam, MistakesAreNamed) {
  const auto wrong = [](const std::string& cam) {
    return mistakesOf(makeCam("start_rate: 0", cam, ""));
  };
  EXPECT_EQ(wrong("angle: [0, 1, 2, 4], lift: [0, 0.1, 0.1, 0]"), "");
  EXPECT_EQ(wrong("angle: [0 deg, 90 deg, 180 deg, 270 deg, 360 deg], lift: [0, 0.1, 0.1, 0.1, 0]"),
            "");
  EXPECT_TRUE(says(wrong("angle: [0, 1, 2], lift: [0, 0.1, 0.1]"), "at least four points"));
  EXPECT_TRUE(says(wrong("angle: [0, 1, 2, 4], lift: [0, 0.1, 0.1]"),
                   "'angle' has 4 entries, but 'lift' has 3"));
  EXPECT_TRUE(
      says(wrong("angle: [0, 1, 1, 4], lift: [0, 0.1, 0.1, 0]"), "do not increase at entry 3"));
  EXPECT_TRUE(says(wrong("angle: [0, 1, 2, 400], lift: [0, 0.1, 0.1, 0]"), "more than one turn"));
  EXPECT_TRUE(says(
      wrong("angle: [0 deg, 90 deg, 180 deg, 270 deg, 360 deg], lift: [0, 0.1, 0.1, 0.1, 0.2]"),
      "after a whole turn is not that of its beginning"));
  EXPECT_TRUE(says(wrong(makePoints(121)), "more than 120 points"));
  EXPECT_TRUE(says(wrong("angle: [0, 1, 2, 4], lift: [0, 0.1, 0.1, 0], damping: 1"),
                   "'damping' needs a 'stiffness'"));
  EXPECT_TRUE(says(
      mistakesOf("nodes: {A: [0, 0, 0]}\nbodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {h: {type: hinge, between: [ground, A], axis: [0, 0, 1]}, "
                 "c: {type: cam, between: [h, h], angle: [0, 1, 2, 4], lift: [0, 1, 1, 0]}}\n"),
      "has no translation"));
}

}  // namespace
}  // namespace flexloop::test
