// The signs of ratios that follow from teeth and axes (docs/theory/41_losses_and_latches.md, section 41.2).
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

struct Axis {
  const char* at;
  const char* direction;
};

std::string pair(const Axis& first, const Axis& second, const std::string& gear) {
  return std::string(
             "nodes: {A: [0, 0, 0], B: [0, 0, 0]}\n"
             "bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}, b: {node: B, mass: 1, "
             "inertia: [1, 1, 1]}}\n"
             "joints:\n  h: {type: hinge, between: [ground, A], at: ") +
         first.at + ", axis: " + first.direction +
         ", start_rate: 1}\n  k: {type: hinge, between: [ground, B], at: " + second.at +
         ", axis: " + second.direction + "}\n  g: {between: [h, k], " + gear +
         "}\nsensors: {w: {measure: rate, joint: k}}\n";
}

double ratio(const Axis& first, const Axis& second, const std::string& gear) {
  return runModel(pair(first, second, gear), "w", "end: 1 ms, step: 1 ms").at(0.0, "w");
}

TEST(ToothRatio, OfParallelAxes) {
  const std::string teeth = "type: gear, teeth: [20, 50]";
  const Axis here{"[0, 0, 0]", "[0, 0, 2]"}, there{"[0.3, 0, 0.1]", "[0, 0, 1]"},
      back{"[0.3, 0, 0.1]", "[0, 0, -1]"};
  EXPECT_NEAR(ratio(here, there, teeth), -0.4, 1e-12);
  EXPECT_NEAR(ratio(here, back, teeth), 0.4, 1e-12);
  EXPECT_NEAR(ratio(here, there, teeth + ", inner: true"), 0.4, 1e-12);
}

// Cones that roll on each other have the same velocity where they touch: ω1 a1 × c = ω2 a2 × c.
TEST(ToothRatio, OfBevelGears) {
  const std::string teeth = "type: gear, teeth: [20, 40]";
  const Axis x{"[0.2, 0, 0]", "[1, 0, 0]"}, y{"[0, 0.1, 0]", "[0, 1, 0]"};
  EXPECT_NEAR(ratio(x, y, teeth), -0.5, 1e-12);
  EXPECT_NEAR(ratio({"[0.2, 0, 0]", "[-1, 0, 0]"}, y, teeth), 0.5, 1e-12);
  EXPECT_NEAR(ratio({"[-0.2, 0, 0]", "[1, 0, 0]"}, y, teeth), 0.5, 1e-12);
  EXPECT_NEAR(ratio({"[-0.2, 0, 0]", "[1, 0, 0]"}, {"[0, -0.1, 0]", "[0, 1, 0]"}, teeth), -0.5,
              1e-12);
  // Axes at 60°.
  EXPECT_NEAR(ratio(x, {"[0.05, 0.0866025403784, 0]", "[0.5, 0.866025403784, 0]"}, teeth), -0.5,
              1e-12);
}

// A right-handed worm that turns about x moves the teeth below it along −x.
TEST(ToothRatio, OfWorms) {
  const std::string worm = "type: worm, starts: 2, teeth: 40, lead_angle: 5 deg";
  const Axis x{"[0, 0, 0]", "[1, 0, 0]"}, below{"[0, 0, -0.1]", "[0, 1, 0]"},
      above{"[0, 0, 0.1]", "[0, 1, 0]"};
  // The wheel below has the velocity ω y × r z = ω r x at its top.
  EXPECT_NEAR(ratio(x, below, worm), -0.05, 1e-12);
  EXPECT_NEAR(ratio(x, above, worm), 0.05, 1e-12);
  EXPECT_NEAR(ratio(x, below, worm + ", hand: left"), 0.05, 1e-12);
  EXPECT_NEAR(ratio({"[3, 0, 0]", "[-1, 0, 0]"}, below, worm), 0.05, 1e-12);
}

TEST(ToothRatio, MistakesAreNamed) {
  const std::string teeth = "type: gear, teeth: [20, 40]";
  const Axis x{"[0, 0, 0]", "[1, 0, 0]"}, y{"[0, 0.1, 0]", "[0, 1, 0]"};
  EXPECT_TRUE(says(mistakesOf(pair(x, y, teeth)), "on which side of the common point of the axes"));
  EXPECT_TRUE(says(mistakesOf(pair(x, {"[0, 0, 1]", "[0, 1, 0]"}, teeth)),
                   "are neither parallel nor meet"));
  EXPECT_TRUE(says(mistakesOf(pair({"[1, 0, 0]", "[1, 0, 0]"}, y, teeth + ", inner: true")),
                   "'inner' is for parallel axes"));
  EXPECT_TRUE(
      says(mistakesOf(pair(x, y, "type: gear, ratio: 2, inner: true")), "'inner' needs 'teeth'"));
  EXPECT_TRUE(says(mistakesOf(pair(x, y, "type: worm, teeth: 40, lead_angle: 5 deg")),
                   "the axis of the worm does not pass beside that of the wheel"));
  EXPECT_TRUE(says(mistakesOf(pair(x, y, "type: gear, teeth: [20, -40]")), "positive"));
}

}  // namespace
}  // namespace flexloop::test
