// The unit of the range of a limit is that of the joint's coordinate.
#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string machine(const std::string& limit) {
  return R"(
parameters: {stroke: 10 mm, swing: 20 deg}
nodes: {a: {position: [0, 0, 0]}, b: {position: [1, 0, 0]}, c: {position: [2, 0, 0]}}
bodies:
  a: {node: a, mass: 1, inertia: [1, 1, 1]}
  b: {node: b, mass: 1, inertia: [1, 1, 1]}
  c: {node: c, mass: 1, inertia: [1, 1, 1]}
joints:
  s: {type: slider, between: [ground, a], axis: [1, 0, 0]}
  h: {type: hinge, between: [ground, b], axis: [0, 0, 1]}
  c: {type: cylindrical, between: [ground, c], axis: [0, 0, 1]}
contacts: {stop: {type: limit, )" +
         limit + "}}\n";
}

TEST(LimitUnits, AreThoseOfTheCoordinate) {
  for (const char* good : {"joint: s, lower: -10 mm, upper: 0.2, restitution: 0",
                           "joint: s, upper: = stroke, restitution: 0",
                           "joint: h, lower: -30 deg, upper: 0.2 rad, restitution: 0",
                           "joint: h, lower: -1, upper: = 2*swing, restitution: 0",
                           "joint: c, lower: -30 deg, restitution: 0",
                           "joint: c, coordinate: translation, lower: -3 mm, restitution: 0",
                           "joint: s, upper: 1 mm, stiffness: 1 N/mm, damping: 0.1 s/mm",
                           "joint: h, upper: 1 deg, stiffness: 1 N m/rad, damping: 0.1 s/rad"}) {
    EXPECT_EQ(mistakesOf(machine(good)), "") << good;
  }
}

TEST(LimitUnits, OfTheOtherCoordinateAreRefused) {
  const std::string length = "is that of a length (m), but an angle (rad) is needed";
  const std::string angle = "is that of an angle (rad), but a length (m) is needed";
  EXPECT_TRUE(says(mistakesOf(machine("joint: h, lower: -10 mm, restitution: 0")),
                   "contacts.stop: the unit of 'lower' " + length));
  EXPECT_TRUE(says(mistakesOf(machine("joint: h, upper: = stroke, restitution: 0")),
                   "the unit of 'upper' " + length));
  EXPECT_TRUE(says(mistakesOf(machine("joint: c, upper: 3 mm, restitution: 0")),
                   "on the rotation of 'c', a cylindrical"));
  EXPECT_TRUE(says(mistakesOf(machine("joint: s, upper: 10 deg, restitution: 0")),
                   "the unit of 'upper' " + angle));
  EXPECT_TRUE(says(mistakesOf(machine("joint: s, lower: = -swing, restitution: 0")),
                   "the unit of 'lower' " + angle));
  EXPECT_TRUE(says(mistakesOf(machine("joint: h, upper: 1, stiffness: 1, damping: 1 s/m")),
                   "the unit of 'damping'"));
  EXPECT_TRUE(says(mistakesOf(machine("joint: s, upper: 10 kg, restitution: 0")),
                   "but a length (m) or an angle (rad) is needed"));
}

}  // namespace
}  // namespace flexloop::test
