// What is said of gears and racks that cannot be.
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string withJoint(const std::string& joint, const std::string& more = {}) {
  return "nodes: {A: [0, 0, 0], B: [1, 0, 0], C: [2, 0, 0]}\n"
         "bodies:\n"
         "  a: {node: A, mass: 1, inertia: [1, 1, 1]}\n"
         "  b: {node: B, mass: 1, inertia: [1, 1, 1]}\n"
         "  c: {node: C, mass: 1, inertia: [1, 1, 1]}\n"
         "joints:\n"
         "  pair: " +
         joint +
         "\n"
         "  hinge1: {type: hinge, between: [ground, A], axis: [0, 0, 1]}\n"
         "  hinge2: {type: hinge, between: [ground, B], axis: [0, 0, 1]}\n"
         "  slider1: {type: slider, between: [ground, C], axis: [0, 0, 1]}\n" +
         more;
}

TEST(GearMessages, NameTheMistakeAndTheRemedy) {
  const auto mistakes = [](const char* joint) { return mistakesOf(withJoint(joint)); };
  EXPECT_EQ(mistakes("{type: gear, between: [hinge1, hinge2], ratio: -3}"), "");
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, slider1], ratio: -3}"),
                   "m.yaml:8:31: error: joints.pair: 'slider1' is a slider and has no rotation"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, slider1], ratio: -3}"),
                   "hinge, cylindrical, planar and screw have one"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, hinge2], ratio: 0}"),
                   "joints.pair.ratio: must not be zero"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, hinge3], ratio: 2}"),
                   "unknown joint 'hinge3'"));
  EXPECT_TRUE(
      says(mistakes("{type: gear, between: [hinge1, hinge3], ratio: 2}"), "did you mean 'hinge1'"));
  EXPECT_TRUE(
      says(mistakes("{type: gear, between: [A, B], ratio: 2}"), "'A' is a node, not a joint"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [ground, hinge2], ratio: 2}"),
                   "'ground' is a node, not a joint"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, hinge1], ratio: 2}"),
                   "both are the joint 'hinge1'"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1], ratio: 2}"), "expected two joints"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, hinge2], ratio: 2, backlash: 0.1 deg}"),
                   "'backlash' needs a 'stiffness'"));
  EXPECT_TRUE(says(mistakes("{type: gear, between: [hinge1, hinge2], ratio: 2, backlash: 1 mm}"),
                   "joints.pair.backlash"));
  EXPECT_TRUE(says(mistakes("{type: rack, between: [hinge1, hinge2], radius: 20 mm}"),
                   "'hinge2' is a hinge and has no translation"));
  EXPECT_TRUE(says(mistakes("{type: rack, between: [slider1, hinge1], radius: 20 mm}"),
                   "'slider1' is a slider and has no rotation"));
  EXPECT_TRUE(says(mistakes("{type: rack, between: [hinge1, slider1.rotation], radius: 20 mm}"),
                   "the translation of 'slider1' is needed"));
  EXPECT_TRUE(says(mistakes("{type: rack, between: [hinge1, slider1], radius: 0}"),
                   "joints.pair.radius: must not be zero"));
}

TEST(GearMessages, PairsInSpaceMustTouch) {
  const auto mistakes = [](const char* radii) {
    return mistakesOf(withJoint(std::string("{type: gear_pair, between: [A, B], axis: [0, 0, 1], "
                                            "stiffness: 1e6, radii: ") +
                                radii + "}"));
  };
  EXPECT_EQ(mistakes("[0.4, 0.6]"), "");
  EXPECT_EQ(mistakes("[1.5, -0.5]"), "");
  EXPECT_TRUE(
      says(mistakes("[0.4, 0.5]"), "the axes are 1 m apart, but the radii add up to 0.9 m"));
}

TEST(GearMessages, SensorsSayWhatCanBeMeasured) {
  const char* gear = "{type: gear, between: [hinge1, hinge2], ratio: -3}";
  EXPECT_TRUE(says(mistakesOf(withJoint(gear, "sensors: {f: {measure: force, joint: pair}}\n")),
                   "measure 'transmitted' of it"));
  EXPECT_TRUE(
      says(mistakesOf(withJoint(gear, "sensors: {f: {measure: transmitted, joint: hinge1}}\n")),
           "a hinge transmits nothing between joints"));
  EXPECT_TRUE(says(mistakesOf(withJoint(gear, "sensors: {f: {measure: angle, joint: pair}}\n")),
                   "a gear has no angle"));
}

TEST(GearMessages, StartsThatContradictTheRatio) {
  const std::string joint =
      "{type: gear, between: [hinge1, hinge3], ratio: 2}\n"
      "  hinge3: {type: hinge, between: [ground, D], axis: [0, 0, 1], start: 10 deg}";
  std::string model = withJoint(joint);
  model.replace(model.find("nodes: {"), 8, "nodes: {D: [3, 0, 0], ");
  model.replace(model.find("  a: {"), 6, "  d: {node: D, mass: 1, inertia: [1, 1, 1]}\n  a: {");
  EXPECT_EQ(mistakesOf(model), "");
  model.replace(model.find("[ground, A], axis: [0, 0, 1]"), 28,
                "[ground, A], axis: [0, 0, 1], start: 20 deg");
  EXPECT_TRUE(says(mistakesOf(model), "the start cannot be reached"));
}

}  // namespace
}  // namespace flexloop::test
