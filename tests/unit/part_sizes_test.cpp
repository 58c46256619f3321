// A machine beside others that have nothing to do with it (docs/theory/09_time.md, section 9.9): its motion and its forces are
// those that it has alone, whatever the others weigh, wherever they are and however fast.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A pendulum on a hinge that falls from the horizontal, and what is beside it.
ModelRun runBeside(const std::string& node, const std::string& body, const std::string& load,
                   const std::string& constraints) {
  const std::string none = node.empty() ? "" : ", ";
  return runModel(
      "gravity: [0, 0, -9.81]\n"
      "nodes: {p: [0.5, 0, 0]" +
      none + node +
      "}\n"
      "bodies: {p: {node: p, mass: 1, inertia: [0.02, 0.02, 0.02]}" +
      none + body +
      "}\n"
      "joints: {h: {type: hinge, between: [ground, p], at: [0, 0, 0], axis: [0, 1, 0]}}\n" +
      load +
      "sensors: {q: {measure: angle, joint: h}, F: {measure: force, joint: h}}\n"
      "outputs: [q, F]\n"
      "analysis: {time: {end: 0.6, step: 1 ms, constraints: " +
      constraints + "}}\n");
}

struct Neighbour {
  const char* node;
  const char* body;
  const char* load;
};

TEST(PartSizes, NeighboursDoNotSpoilAMachine) {
  const Neighbour neighbours[] = {
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1}",
       "loads: {l: {node: z, force: [1e9, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e-9}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [9, 0, 0], free: [x]}", "z: {node: z, mass: 1e12}",
       "loads: {l: {node: z, force: [1, 0, 0]}}\n"},
      {"z: {position: [1e9, 0, 0], velocity: [1e3, 0, 0]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""},
      {"z: {position: [9, 0, 0], angular_velocity: [0, 0, 1e5]}",
       "z: {node: z, mass: 5, inertia: [1, 1, 1]}", ""}};
  for (const char* constraints : {"index2", "index3"}) {
    // With index 3, a neighbour far away has all forces recorded as those that belong to positions and velocities: they
    // differ by the error of the step, which is 4e-4 N here.
    const double tolerance = std::string(constraints) == "index3" ? 1e-3 : 1e-5;
    const ModelRun alone = runBeside("", "", "", constraints);
    for (const Neighbour& other : neighbours) {
      SCOPED_TRACE(std::string(constraints) + ": " + other.node + other.body);
      const ModelRun run = runBeside(other.node, other.body, other.load, constraints);
      for (const char* name : {"F.x", "F.z"}) {
        for (const double t : {0.1, 0.35, 0.6}) {
          EXPECT_NEAR(run.at(t, name), alone.at(t, name), tolerance) << name << " at " << t;
        }
      }
      EXPECT_NEAR(run.last("q"), alone.last("q"), 1e-8);
    }
  }
}

}  // namespace
}  // namespace flexloop::test
