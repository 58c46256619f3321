// Which joints are in closed loops: only they may become dependent on each other.
#include "solve/constraint_loops.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/built_sample.hpp"

namespace flexloop {
namespace {

std::string sample(const std::string& joints, const std::string& freedoms = "") {
  std::string nodes, bodies;
  for (const char* name : {"a", "b", "c", "d"}) {
    nodes += std::string("  ") + name + ": {position: [0, 0, 0]" + freedoms + "}\n";
    bodies += std::string("  ") + name + ": {node: " + name + ", mass: 1, inertia: [1, 1, 1]}\n";
  }
  return "flexloop: 1\nnodes:\n" + nodes + "bodies:\n" + bodies + "joints:\n" + joints;
}

// Names of the equations in loops begin with those of their joints.
std::string jointsInLoops(const std::string& joints, const std::string& freedoms = "") {
  const test::BuiltSample built = test::buildSample(sample(joints, freedoms));
  const solve::ConstraintLoops loops = solve::findConstraintLoops(built.system);
  std::string found;
  for (int u = 0; u < built.system.unknowns(); ++u) {
    if (loops.groupOfUnknown[u] < 0) continue;
    const char joint = built.system.equationName(system::UnknownIndex{u})[0];
    if (found.find(joint) == std::string::npos) found += joint;
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string hinge(const std::string& name, const std::string& between,
                  const std::string& more = "") {
  return "  " + name + ": {type: hinge, between: [" + between +
         "], at: [0, 0, 0], axis: [0, 0, 1]" + more + "}\n";
}

TEST(ConstraintLoops, AChainHasNone) {
  EXPECT_EQ(jointsInLoops(hinge("P", "ground, a") + hinge("Q", "a, b") + hinge("R", "b, c")), "");
}

TEST(ConstraintLoops, AFourBarHasOneAndWhatHangsOnItHasNone) {
  EXPECT_EQ(jointsInLoops(hinge("P", "ground, a") + hinge("Q", "a, b") + hinge("R", "b, c") +
                          hinge("S", "c, ground") + hinge("T", "b, d")),
            "PQRS");
}

TEST(ConstraintLoops, TwoJointsBetweenTheSameBodiesAreOne) {
  EXPECT_EQ(jointsInLoops(hinge("P", "ground, a") + hinge("Q", "a, b") + hinge("R", "a, b")), "QR");
}

TEST(ConstraintLoops, ADriveIsPartOfItsJoint) {
  EXPECT_EQ(jointsInLoops(hinge("P", "ground, a", ", locked: true") + hinge("Q", "a, b")), "");
}

// Two linkages on the same ground have nothing else in common.
TEST(ConstraintLoops, MeetInBodiesButNotInGround) {
  const auto count = [](const std::string& joints) {
    return solve::findConstraintLoops(test::buildSample(sample(joints)).system).groups;
  };
  EXPECT_EQ(count(hinge("P", "ground, a") + hinge("Q", "a, b") + hinge("R", "b, ground") +
                  hinge("S", "ground, c") + hinge("T", "c, d") + hinge("U", "d, ground")),
            2);
  EXPECT_EQ(count(hinge("P", "ground, a") + hinge("Q", "a, b") + hinge("R", "b, ground") +
                  hinge("T", "b, c") + hinge("U", "c, ground")),
            1);
}

// Two bodies that nothing joins with ground.
TEST(ConstraintLoops, OfMachinesThatFloat) {
  EXPECT_EQ(jointsInLoops(hinge("P", "a, b") + hinge("Q", "b, c") + hinge("R", "c, a") +
                          hinge("S", "c, d")),
            "PQR");
}

// What a node is not free to do, the ground does to it.
TEST(ConstraintLoops, NodesWithFewFreedomsAreJoinedWithGround) {
  EXPECT_EQ(jointsInLoops(hinge("P", "ground, a") + hinge("Q", "a, b"), ", free: [x, y, rz]"),
            "PQ");
}

}  // namespace
}  // namespace flexloop
