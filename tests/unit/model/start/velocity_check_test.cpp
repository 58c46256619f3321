// Velocities that the file gives to nodes are not changed without a word by drives and rates of the joints on which they hang.
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A cart on a belt that runs at 0.1 m/s.
std::string makeBelt(const std::string& belt, const std::string& cart, const std::string& motion) {
  return "nodes: {belt: {position: [0, 0, 0]" + belt + "}, c: {position: [0, 0, 0]" + cart +
         "}}\n"
         "bodies: {b: {node: c, mass: 1, inertia: [1, 1, 1]}, bb: {node: belt, mass: 1, inertia: "
         "[1, 1, 1]}}\n"
         "blocks: {r: {type: ramp, slope: 0.1}}\n"
         "joints:\n"
         "  bs: {type: slider, between: [ground, belt], axis: [1, 0, 0], " +
         motion +
         "}\n"
         "  s: {type: slider, between: [belt, c], axis: [1, 0, 0]}\n"
         "sensors: {v: {measure: velocity, node: c, direction: [1, 0, 0]}}\n";
}

TEST(VelocityCheck, WarnsOfVelocitiesThatJointsChange) {
  for (const char* motion : {"drive: r", "start_rate: 0.1"}) {
    const std::string text = makeBelt("", ", velocity: [0.1, 0, 0]", motion);
    const std::string warnings = buildModel(text).warnings().toText();
    EXPECT_TRUE(says(warnings, "m.yaml:2:"));
    EXPECT_TRUE(says(warnings, "nodes.c: velocity is [0.2, 0, 0] m/s, not [0.1, 0, 0]"));
    EXPECT_TRUE(says(warnings, "joints.bs"));
    EXPECT_NEAR(runModel(text, "v", "end: 1 ms, step: 1 ms").column("v").front(), 0.2, 1e-13);
  }
}

TEST(VelocityCheck, WarnsOfAngularVelocities) {
  const std::string text =
      "nodes: {n: {position: [0, 0, 0], angular_velocity: [0, 0, 1]}}\n"
      "bodies: {b: {node: n, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: hinge, between: [ground, n], axis: [0, 0, 1], start_rate: 3}}\n";
  EXPECT_TRUE(says(buildModel(text).warnings().toText(),
                   "nodes.n: angular_velocity is [0, 0, 3] rad/s, not [0, 0, 1]"));
}

TEST(VelocityCheck, DoesNotWarnOfWhatIsKept) {
  const std::string both = ", velocity: [0.1, 0, 0]";
  for (const std::string& text :
       {makeBelt(both, both, "drive: r"), makeBelt(both, both, "start_rate: 0.1"),
        makeBelt("", "", "drive: r"), makeBelt("", both, "start: 10 mm"),
        makeBelt(both, ", velocity: [0.3, 0, 0]", "drive: r")}) {
    EXPECT_TRUE(buildModel(text).warnings().empty()) << buildModel(text).warnings().toText();
  }
}

}  // namespace
}  // namespace flexloop::test
