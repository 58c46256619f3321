// Contacts inside an instance of an assembly move and turn with it. The truth is the same machine unturned, without gravity.
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

struct Case {
  const char* name;
  const char* contact;
};

class TurnedContact : public testing::TestWithParam<Case> {};

TEST_P(TurnedContact, PushesAsWhereItWasDefined) {
  const std::string model = std::string(R"(
assemblies:
  pair:
    nodes:
      a: {position: [0, 0, 0.25], velocity: [0.3, 0.1, -2], angular_velocity: [0.5, 0.2, 1]}
      b: {position: [0.05, 0, -0.25], free: []}
    bodies: {a: {node: a, mass: 0.5, inertia: [2e-3, 3e-3, 4e-3]}}
    contacts: {touch: {)") + GetParam().contact +
                            R"(, stiffness: 2e4, damping: 0.1, friction: 0.3}}
    sensors:
      x: {measure: displacement, node: a, direction: [1, 0, 0]}
      z: {measure: displacement, node: a, direction: [0, 0, 1]}
instances:
  one: {of: pair}
  two: {of: pair, position: [5, -1, 2], rotation: {axis: [1, 2, 3], angle: 70 deg}}
)";
  const ModelRun run = runModel(model, "one.x, one.z, two.x, two.z", "end: 0.2, step: 0.2 ms");
  EXPECT_GT(run.last("one.z"), -0.2);  // it has bounced
  EXPECT_NEAR(run.last("two.x"), run.last("one.x"), 1e-7);
  EXPECT_NEAR(run.last("two.z"), run.last("one.z"), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(
    Types, TurnedContact,
    testing::Values(
        Case{"sphere_plane",
             "type: sphere_plane, node: a, radius: 0.1, at: [0.01, 0, 0.24], "
             "plane: {node: b, at: [0, 0, 0], normal: [0.1, 0, 1]}"},
        Case{"default_plane",
             "type: sphere_plane, node: a, radius: 0.1, plane: {normal: [0, 0, 1]}"},
        Case{"box_plane",
             "type: box_plane, node: a, size: [0.2, 0.1, 0.15], "
             "plane: {node: ground, at: [0, 0, 0], normal: [0, 0.1, 1]}"},
        Case{"capsule_plane",
             "type: capsule_plane, node: a, radius: 0.05, length: 0.2, axis: [1, 0, 0.2], "
             "plane: {node: b, at: [0, 0, 0], normal: [0, 0, 1]}"},
        Case{"sphere_sphere",
             "type: sphere_sphere, first: {node: a, radius: 0.1}, "
             "second: {node: b, radius: 0.15, at: [0, 0, -0.1]}"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace flexloop::test
