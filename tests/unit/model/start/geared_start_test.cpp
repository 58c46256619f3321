// Joints in a loop of which one is given a place and another a rate: what is not given follows from what is
// (docs/theory/26_rest_of_controllers.md, section 26.5).
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// Three wheels: w turns −3 times as fast as m, and v −2 times as fast as w.
std::string makeWheels(const std::string& m, const std::string& w, const std::string& v) {
  const std::string hinge = ", axis: [0, 0, 1]";
  return R"(nodes: {m: [0, 0, 0], w: [0, 1, 0], v: [0, 2, 0]}
bodies:
  m: {node: m, mass: 1, inertia: [1, 1, 1]}
  w: {node: w, mass: 1, inertia: [1, 1, 1]}
  v: {node: v, mass: 1, inertia: [1, 1, 1]}
joints:
  hm: {type: hinge, between: [ground, m])" +
         hinge + m + "}\n  hw: {type: hinge, between: [ground, w]" + hinge + w +
         "}\n  hv: {type: hinge, between: [ground, v]" + hinge + v + R"(}
  g: {type: gear, between: [hm, hw], ratio: -3}
  g2: {type: gear, between: [hw, hv], ratio: -2}
sensors:
  a: {measure: angle, joint: hm}
  b: {measure: angle, joint: hw}
  c: {measure: angle, joint: hv}
  ra: {measure: rate, joint: hm}
  rb: {measure: rate, joint: hw}
  rc: {measure: rate, joint: hv}
)";
}

void expectStart(const std::string& model, double angle, double rate) {
  SCOPED_TRACE(model);
  const ModelRun run = runModel(model, "a, b, c, ra, rb, rc", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("a").front(), angle, 1e-11);
  EXPECT_NEAR(run.column("b").front(), -3.0 * angle, 1e-11);
  EXPECT_NEAR(run.column("c").front(), 6.0 * angle, 1e-11);
  EXPECT_NEAR(run.column("ra").front(), rate, 1e-11);
  EXPECT_NEAR(run.column("rb").front(), -3.0 * rate, 1e-11);
  EXPECT_NEAR(run.column("rc").front(), 6.0 * rate, 1e-11);
}

TEST(GearedStart, TakesAPlaceOfOneWheelAndARateOfAnother) {
  expectStart(makeWheels(", start_rate: 1", ", start: 30 deg", ""), -10.0 * kDegree, 1.0);
  expectStart(makeWheels(", start: 10 deg", ", start_rate: 1", ""), 10.0 * kDegree, -1.0 / 3.0);
  expectStart(makeWheels(", start_rate: 1", "", ", start: 60 deg"), 10.0 * kDegree, 1.0);
  expectStart(makeWheels(", start_rate: 1", ", start: 0", ""), 0.0, 1.0);
}

TEST(GearedStart, CountsTheTurnsOfWheelsThatFollow) {
  expectStart(makeWheels(", start: 150 deg", "", ", start_rate: 6"), 150.0 * kDegree, 1.0);
  expectStart(makeWheels(", start_rate: 1", ", start: -900 deg", ""), 300.0 * kDegree, 1.0);
}

// A drive may begin many turns from where the wheels are drawn. What is geared to it, and a spring, has turned with it.
TEST(GearedStart, CountsTheTurnsOfADrive) {
  for (const std::string begin : {"2", "100", "-7"}) {
    const double angle = std::stod(begin);
    const ModelRun run =
        runModel(makeWheels(", drive: turn", "", "") +
                     "  t: {measure: torque, spring: twist, direction: [0, 0, 1]}\n"
                     "springs: {twist: {type: torsional, between: [m, w], axis: "
                     "[0, 0, 1], stiffness: 2}}\n"
                     "blocks: {turn: {type: expression, value: '= " +
                     begin + " + 0.5*t'}}\n",
                 "a, b, c, t", "end: 0.01, step: 1 ms");
    for (const auto& [time, at] : {std::pair{0.0, angle}, std::pair{0.01, angle + 0.005}}) {
      const auto read = [&](const std::string& name) {
        return time == 0.0 ? run.column(name).front() : run.last(name);
      };
      EXPECT_NEAR(read("a"), at, 1e-9);
      EXPECT_NEAR(read("b"), -3.0 * at, 1e-9);
      EXPECT_NEAR(read("c"), 6.0 * at, 1e-9);
      EXPECT_NEAR(read("t"), -2.0 * (-3.0 - 1.0) * at, 1e-8);
    }
  }
}

TEST(GearedStart, TakesPlacesOfBothAndARateOfOne) {
  expectStart(makeWheels(", start: 10 deg, start_rate: 1", ", start: -30 deg", ""), 10.0 * kDegree,
              1.0);
  expectStart(makeWheels(", start: 10 deg, start_rate: 1", ", start_rate: -3", ""), 10.0 * kDegree,
              1.0);
}

TEST(GearedStart, RefusesWhatContradicts) {
  const std::string rates =
      mistakesOf(makeWheels(", start_rate: 1", ", start: 30 deg, start_rate: 3", ""));
  EXPECT_TRUE(says(rates, "contradicts those of other joints"));
  const std::string places =
      mistakesOf(makeWheels(", start: 10 deg", ", start: 30 deg, start_rate: 3", ""));
  EXPECT_TRUE(says(places, "stays open"));
}

TEST(GearedStart, TakesAPlaceOfARackAndARateOfItsPinion) {
  const ModelRun run = runModel(R"(nodes: {c: [0, 0, 0], r: [0, 1, 0]}
bodies: {c: {node: c, mass: 1, inertia: [1, 1, 1]}, r: {node: r, mass: 1, inertia: [1, 1, 1]}}
joints:
  h: {type: hinge, between: [ground, c], axis: [0, 0, 1], start_rate: 1}
  s: {type: slider, between: [ground, r], axis: [1, 0, 0], start: 10 mm}
  k: {type: rack, between: [h, s], radius: 0.5}
sensors:
  a: {measure: angle, joint: h}
  x: {measure: displacement, joint: s}
  v: {measure: velocity, node: r, direction: [1, 0, 0]}
)",
                                "a, x, v", "end: 0.01, step: 1 ms");
  EXPECT_NEAR(run.column("x").front(), 0.01, 1e-13);
  EXPECT_NEAR(run.column("a").front(), 0.02, 1e-12);
  EXPECT_NEAR(run.column("v").front(), 0.5, 1e-12);
}

}  // namespace
}  // namespace flexloop::test
