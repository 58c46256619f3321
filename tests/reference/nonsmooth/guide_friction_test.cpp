// What acts along a beam: friction of the guide's own reaction, stops, actuators and starts (docs/theory/36_guides.md; reference J5.2, J1.2).
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kPi = std::numbers::pi;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

constexpr const char* kWire =
    "sections: {wire: {type: stiffness, EA: 1e9, GAy: 1e9, GAz: 1e9, GJ: 1e7, EIy: 1e7, EIz: 1e7, "
    "rhoA: 1e-3, rhoJ: [1e-5, 1e-5, 1e-5]}}\n";

// J5.2: with μ on the side force 2 m Ω r' the bead obeys r'' + 2 μ Ω r' = Ω² r.
TEST(GuideFriction, BeadOnATurningWire) {
  for (const char* clamp : {"", ", clamp: true"}) {
    const std::string model =
        std::string(kWire) +
        "beams: {wire: {from: A, to: B, section: wire, y_axis: [0, 1, 0], elements: 13}}\n"
        "nodes: {A: [0, 0, 0], B: [2, 0, 0], bead: [0.1, 0, 0]}\n"
        "bodies: {bead: {node: bead, mass: 0.3, inertia: [1e-6, 1e-6, 1e-6]}}\n"
        "joints:\n"
        "  h: {type: hinge, between: [ground, A], axis: [0, 0, 1], drive: turn}\n"
        "  run: {type: slide_on_beam, beam: wire, node: bead, friction: {coefficient: 0.2}" +
        clamp +
        "}\n"
        "blocks: {turn: {type: ramp, slope: 2}}\n"
        "sensors: {r: {measure: displacement, joint: run}, y: {measure: friction, joint: run}, v: "
        "{measure: rate, joint: run}}\n";
    const ModelRun run = runModel(model, "r, y, v", "end: 2, step: 1 ms, rho: 0.9");
    EXPECT_NEAR(run.at(0.5, "r"), 0.147631314872 - 0.1, 2e-5) << clamp;
    EXPECT_NEAR(run.at(1.0, "r"), 0.31169291259 - 0.1, 1e-4) << clamp;
    EXPECT_NEAR(run.at(2.0, "r"), 1.58844491406 - 0.1, 1e-3) << clamp;
    if (*clamp == '\0') {
      EXPECT_NEAR(run.at(1.0, "y"), 0.2 * 2.0 * 0.3 * 2.0 * run.at(1.0, "v"), 2e-3);
    }
  }
}

// A bead on a wire down a slope of 30°, thrown up at 2 m/s, as the block of J1.2. A wire of one piece between fixed nodes does not yield; one of
// seven does, by little.
std::string slope(const std::string& options, double length = 1.0, double mass = 1.0,
                  int elements = 7) {
  const double c = std::cos(kPi / 6.0) * length, s = 0.5 * length;
  const auto at = [&](double x) { return "[" + text(x * c) + ", 0, " + text(-x * s) + "]"; };
  const double EA = 1e9 * mass * length, EI = 1e9 * mass * std::pow(length, 3);
  std::ostringstream section;
  section << "gravity: [0, 0, " << text(-9.81 * length)
          << "]\nsections: {wire: {type: stiffness, EA: " << EA << ", GAy: " << EA
          << ", GAz: " << EA << ", GJ: " << EI << ", EIy: " << EI << ", EIz: " << EI
          << ", rhoA: " << 1e-3 * mass / length << ", rhoJ: [" << 1e-3 * mass * length << ", "
          << 1e-3 * mass * length << ", " << 1e-3 * mass * length << "]}}\n";
  return section.str() +
         "beams: {wire: {from: A, to: B, section: wire, y_axis: [0, 1, 0], elements: " +
         text(elements) +
         "}}\n"
         "nodes:\n  A: {position: " +
         at(-1.0) + ", free: []}\n  B: {position: " + at(2.0) +
         ", free: []}\n"
         "  bead: {position: " +
         at(0.0) +
         ", free: [x, y, z]}\n"
         "bodies: {bead: {node: bead, mass: " +
         text(0.5 * mass) +
         "}}\n"
         "joints: {run: {type: slide_on_beam, beam: wire, node: bead, " +
         options +
         "}}\n"
         "sensors:\n  q: {measure: displacement, joint: run}\n  v: {measure: rate, joint: run}\n";
}

TEST(GuideFriction, StopsAndHoldsOnASlope) {
  const ModelRun held = runModel(slope("start_rate: -2, friction: {coefficient: 0.7}"), "q, v",
                                 "end: 60, step: 20 ms");
  EXPECT_NEAR(held.last("q"), -0.184297885612, 1e-6);
  EXPECT_EQ(held.last("v"), 0.0);
  EXPECT_EQ(held.at(1.0, "q"), held.last("q"));
  const ModelRun back = runModel(slope("start_rate: -2, friction: {coefficient: 0.3}", 1.0, 1.0, 1),
                                 "q, v", "end: 0.745554651955, step: 1 ms");
  EXPECT_NEAR(back.at(0.268, "q"), -0.268322655233, 1e-6);
  EXPECT_NEAR(back.last("q"), 0.0, 2e-6);
  EXPECT_NEAR(back.last("v"), 1.1244956628, 1e-5);
  const ModelRun level =
      runModel(slope("start_rate: -2, friction: {force: 1.5, static_force: 5}", 1.0, 1.0, 1),
               "q, v", "end: 1, step: 1 ms");
  EXPECT_NEAR(level.last("q"), -4.0 / (2.0 * (4.905 + 3.0)), 1e-6);
  EXPECT_EQ(level.last("v"), 0.0);
}

TEST(GuideFriction, IsTheSameInAllUnits) {
  for (const double unit : {1e-12, 1e12}) {
    const ModelRun length =
        runModel(slope("start_rate: " + text(-2.0 * unit) + ", friction: {coefficient: 0.7}", unit),
                 "q, v", "end: 1, step: 10 ms");
    EXPECT_NEAR(length.last("q") / unit, -0.184297885612, 1e-6) << unit;
    EXPECT_EQ(length.last("v"), 0.0) << unit;
    const ModelRun mass = runModel(slope("start_rate: -2, friction: {coefficient: 0.7}", 1.0, unit),
                                   "q, v", "end: 1, step: 10 ms");
    EXPECT_NEAR(mass.last("q"), -0.184297885612, 1e-6) << unit;
    EXPECT_EQ(mass.last("v"), 0.0) << unit;
  }
}

// Down the slope against a rigid stop, from which it bounces with e = 0.5; a compliant one is leant on. The beam is a single piece between two fixed
// nodes: a stop is on the beam, and one that yields would take part in the impact.
TEST(GuideFriction, StopsLimitTheWay) {
  const ModelRun run =
      runModel(slope("start: -0.5", 1.0, 1.0, 1) +
                   "contacts: {end: {type: limit, joint: run, upper: 0.4, restitution: 0.5}}\n",
               "q, v", "end: 3, step: 1 ms, rho: 1");
  const double a = 4.905, t = std::sqrt(2.0 * 0.9 / a), v = a * t;
  EXPECT_NEAR(run.at(0.5, "v"), 0.5 * a, 1e-9);
  EXPECT_NEAR(run.at(0.7, "q"), 0.4 - 0.5 * v * (0.7 - t) + 0.5 * a * (0.7 - t) * (0.7 - t), 1e-6);
  EXPECT_NEAR(run.last("q"), 0.4, 1e-12);
  EXPECT_EQ(run.last("v"), 0.0);
  const auto rest = analysis::findEquilibrium(
      buildModel(slope("damping: 1") +
                 "contacts: {end: {type: limit, joint: run, upper: 0.4, stiffness: 1000}}\n"));
  ASSERT_TRUE(rest.report.ok());
}

// A rotor of a drive moves with the bead, and an actuator pulls it up.
TEST(GuideFriction, ActuatorsAndInertiaActAlongTheBeam) {
  const std::string model = slope("rotor: {inertia: 1e-3, ratio: 50 rad/m}, inertia: 0.5") +
                            "actuators: {ram: {type: force, joint: run, input: -10}}\n";
  const ModelRun run = runModel(model, "q, v", "end: 0.4, step: 10 ms");
  const double a = (0.5 * 4.905 - 10.0) / (0.5 + 0.5 + 2500.0 * 1e-3);
  EXPECT_NEAR(run.last("q"), 0.5 * a * 0.16, 1e-9);
  const ModelRun driven = runModel(slope("start: 0") +
                                       "blocks: {y: {type: ramp, slope: 0.3}}\n"
                                       "actuators: {ram: {type: motion, joint: run, input: y}}\n",
                                   "q", "end: 1, step: 10 ms");
  EXPECT_NEAR(driven.last("q"), 0.3, 1e-9);
}

// What hangs on the node moves along to the start, on a bent beam that turns it with its section.
TEST(GuideFriction, StartsAlongABentBeam) {
  const std::string model =
      "sections: {hoop: {type: stiffness, EA: 1e9, GAy: 1e9, GAz: 1e9, GJ: 1e8, EIy: 1e8, EIz: "
      "1e8, "
      "rhoA: 1, rhoJ: [1e-3, 1e-3, 1e-3]}}\n"
      "beams: {hoop: {from: A, to: B, via: [0, 0, -0.5], section: hoop, y_axis: [0, 1, 0], "
      "elements: 9}}\n"
      "nodes:\n  A: {position: [-0.5, 0, 0], free: []}\n  B: {position: [0.5, 0, 0], free: []}\n"
      "  bead: [0, 0, -0.5]\n  tip: [0, 0, -0.6]\n"
      "bodies: {bead: {node: bead, mass: 0.3, inertia: [1e-3, 1e-3, 1e-3]}, tip: {node: tip, mass: "
      "0.1, inertia: "
      "[1e-3, 1e-3, 1e-3]}}\n"
      "joints:\n  run: {type: slide_on_beam, beam: hoop, node: bead, clamp: true, start: " +
      text(0.5 * kPi / 3.0) +
      ", start_rate: 0.4}\n  arm: {type: weld, between: [bead, tip]}\n"
      "sensors: {x: {measure: position, node: bead}, y: {measure: position, node: tip}, q: "
      "{measure: displacement, "
      "joint: run}, v: {measure: rate, joint: run}, w: {measure: velocity, node: tip}}\n";
  const ModelRun run = runModel(model, "x, y, q, v, w", "end: 0.01, step: 1 ms");
  const double s = std::sin(kPi / 3.0), c = std::cos(kPi / 3.0);
  EXPECT_NEAR(run.at(0.0, "q"), 0.5 * kPi / 3.0, 1e-6);
  EXPECT_NEAR(run.at(0.0, "v"), 0.4, 1e-9);
  // The guide is within 1e-5 of the arc.
  EXPECT_NEAR(run.at(0.0, "x.x"), 0.5 * s, 2e-5);
  EXPECT_NEAR(run.at(0.0, "x.z"), -0.5 * c, 2e-5);
  EXPECT_NEAR(run.at(0.0, "y.x"), 0.6 * s, 1e-4);
  EXPECT_NEAR(run.at(0.0, "y.z"), -0.6 * c, 1e-4);
  EXPECT_NEAR(run.at(0.0, "w.x"), 0.4 * 1.2 * c, 2e-2);
}

// A bead on a hoop of 0.2 m that turns about its vertical diameter at 10 rad/s rests at acos(g/(R Ω²)) and swings about that with Ω sin θ.
std::string hoop(double theta, const std::string& options) {
  const auto at = [](double angle) {
    return "[" + text(0.2 * std::sin(angle)) + ", 0, " + text(-0.2 * std::cos(angle)) + "]";
  };
  return "gravity: [0, 0, -9.81]\n"
         "sections: {hoop: {type: stiffness, EA: 1e9, GAy: 1e9, GAz: 1e9, GJ: 1e8, EIy: 1e8, EIz: "
         "1e8, "
         "rhoA: 1e-3, rhoJ: [1e-5, 1e-5, 1e-5]}}\n"
         "beams: {hoop: {from: A, to: B, via: " +
         at(0.9) +
         ", section: hoop, y_axis: [0, 1, 0], elements: 12}}\n"
         "nodes:\n  A: " +
         at(0.0) + "\n  B: " + at(1.8) + "\n  bead: " + at(theta) +
         "\n"
         "bodies: {bead: {node: bead, mass: 0.3, inertia: [1e-9, 1e-9, 1e-9]}}\n"
         "joints:\n  h: {type: hinge, between: [ground, A], axis: [0, 0, 1], drive: turn}\n"
         "  run: {type: slide_on_beam, beam: hoop, node: bead" +
         options +
         "}\n"
         "blocks: {turn: {type: ramp, slope: 10}}\n"
         "sensors: {q: {measure: displacement, joint: run}, v: {measure: rate, joint: run}}\n";
}

TEST(GuideFriction, BeadOnATurningHoop) {
  const double theta0 = 1.05813290426, period = 2.0 * kPi / 8.71441191361;
  const ModelRun swing =
      runModel(hoop(theta0 + 0.01, ""), "q", "end: " + text(period) + ", step: 1 ms, rho: 0.9");
  EXPECT_NEAR(swing.at(0.5 * period, "q"), -0.2 * 0.02, 6e-5);
  EXPECT_NEAR(swing.last("q"), 0.0, 2e-5);
}

TEST(GuideFriction, MistakesAreNamed) {
  EXPECT_EQ(mistakesOf(slope("friction: {coefficient: 0.1}")), "");
  EXPECT_TRUE(says(mistakesOf(slope("friction: {coefficient: 0.1}, locked: true")),
                   "'friction' cannot be combined with 'locked'"));
  EXPECT_TRUE(says(mistakesOf(slope("friction: {coefficient: 0.1 deg}")),
                   "an angle is no pure number here"));
  EXPECT_TRUE(
      says(mistakesOf(slope("locked: true") +
                      "contacts: {end: {type: limit, joint: run, upper: 0.4, restitution: 0}}\n"),
           "is locked or driven"));
  EXPECT_TRUE(
      says(mistakesOf(slope("start: 0.5") +
                      "contacts: {end: {type: limit, joint: run, upper: 0.4, restitution: 0}}\n"),
           "starts beyond its limit"));
  const auto stiffness = [](const std::string& k) {
    return mistakesOf(slope("damping: 0") +
                      "contacts: {end: {type: limit, joint: run, upper: 0.4, " + k + "}}\n");
  };
  EXPECT_EQ(stiffness("stiffness: 3 kN/m"), "");
  EXPECT_EQ(stiffness("stiffness: 3 kN/m^2, exponent: 2"), "");
  EXPECT_TRUE(says(stiffness("stiffness: 3 N*m"), "stiffness"));
  EXPECT_TRUE(says(stiffness("stiffness: 3 kN/m, exponent: 2"), "is needed"));
  EXPECT_TRUE(says(stiffness("stiffness: 3 kN/m, exponent: 1.5"), "has no unit"));
}

}  // namespace
}  // namespace flexloop::test
