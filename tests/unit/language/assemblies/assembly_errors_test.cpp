// What a user is told about wrong assemblies and instances: the line of the assembly's text, the instance, the remedy.
#include <string>

#include <gtest/gtest.h>

#include "api/registry.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr const char* kLeg = R"(nodes: {hub: [0, 0, 1]}
bodies: {hub: {node: hub, mass: 1, inertia: [1, 1, 1]}}
assemblies:
  leg:
    parameters: {k: 10}
    nodes: {foot: [0, 0, 0]}
    bodies: {foot: {node: foot, mass: 1, inertia: [1, 1, 1]}}
    springs: {s: {type: distance, between: [hub, foot], stiffness: = k}}
    sensors: {x: {measure: position, node: foot, direction: [1, 0, 0]}}
)";

std::string mistakesOfLeg(const std::string& rest) {
  return mistakesOf(std::string(kLeg) + rest);
}

TEST(AssemblyErrorsTest, TheLegIsRight) {
  EXPECT_EQ(mistakesOfLeg("instances: {a: {of: leg}, b: {of: leg, position: [1, 0, 0]}}\n"), "");
}

TEST(AssemblyErrorsTest, WhatAnInstanceSays) {
  EXPECT_TRUE(
      says(mistakesOfLeg("instances: {a: {of: lag}}\n"), "instances.a.of: unknown assembly 'lag'"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {a: {of: lag}}\n"), "did you mean 'leg'"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {a: {}}\n"), "instances.a: 'of' is missing"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {a: {of: leg, parameters: {kk: 2}}}\n"),
                   "the assembly 'leg' has no parameter 'kk'"));
  EXPECT_TRUE(
      says(mistakesOfLeg("instances: {a: {of: leg, rotation: {axis: [0, 0, 0], angle: 1}}}\n"),
           "instances.a.rotation.axis: must not be zero"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {a: {of: leg, postion: [0, 0, 0]}}\n"),
                   "did you mean 'position'"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {2a: {of: leg}}\n"), "it starts like a number"));
  EXPECT_TRUE(says(mistakesOf("instances: {a: {of: leg}}\n"), "define it under 'assemblies:'"));
}

TEST(AssemblyErrorsTest, AMistakeInAnAssemblyIsToldOnceWithItsLineAndTheFirstInstance) {
  const std::string said = mistakesOf(R"(assemblies:
  leg:
    nodes: {foot: [0, 0, 0]}
    bodies: {foot: {node: fot, mass: -1}}
instances: {a: {of: leg}, b: {of: leg}}
)");
  EXPECT_TRUE(
      says(said,
           "m.yaml:5:27: error: instances.a (assembly leg): bodies.foot.node: unknown node 'fot'"));
  EXPECT_TRUE(says(said, "did you mean 'foot'"));
  EXPECT_TRUE(says(said, "m.yaml:5:38: error: instances.a (assembly leg): bodies.foot.mass"));
  EXPECT_FALSE(says(said, "instances.b"));
}

TEST(AssemblyErrorsTest, NamesFromOutside) {
  EXPECT_TRUE(
      says(mistakesOfLeg("instances: {a: {of: leg}}\n"
                         "springs: {s: {type: distance, between: [hub, a.fot], stiffness: 1}}\n"),
           "did you mean 'a.foot'"));
  EXPECT_TRUE(says(mistakesOfLeg("instances: {a: {of: leg}}\n"
                                 "blocks: {y: {type: gain, input: a.xx, gain: 1}}\n"),
                   "did you mean 'a.x'"));
  // An instance that is wrong is not missed a second time.
  const std::string said = mistakesOfLeg(
      "instances: {a: {of: lag}}\nblocks: {y: {type: gain, input: a.x, gain: 1}}\n"
      "springs: {s: {type: distance, between: [hub, a.foot], stiffness: 1}}\n");
  EXPECT_FALSE(says(said, "a.x"));
  EXPECT_FALSE(says(said, "a.foot"));
}

TEST(AssemblyErrorsTest, NamesThatWouldNotBeClear) {
  EXPECT_TRUE(says(mistakesOfLeg("instances: {y: {of: leg}}\n"
                                 "sensors: {y: {measure: position, node: hub}}\n"),
                   "the name 'y' is also that of one of the sensors"));
  EXPECT_TRUE(
      says(mistakesOfLeg("instances: {ground: {of: leg}}\n"), "'ground' is the fixed frame"));
}

TEST(AssemblyErrorsTest, AssembliesThatContainThemselves) {
  EXPECT_TRUE(says(mistakesOf("assemblies:\n  a: {instances: {x: {of: b}}}\n"
                              "  b: {instances: {y: {of: a}}}\ninstances: {i: {of: a}}\n"),
                   "the assembly contains itself: a -> b -> a"));
  EXPECT_TRUE(says(mistakesOf("assemblies:\n  a: {instances: {x: {of: a}}}\n"),
                   "the assembly contains itself: a -> a"));
  std::string text = "assemblies:\n  a0: {nodes: {n: [0, 0, 0]}}\n";
  for (int i = 1; i < 25; ++i) {
    text += "  a" + std::to_string(i) + ": {instances: {x: {of: a" + std::to_string(i - 1) +
            "}, y: {of: a" + std::to_string(i - 1) + "}}}\n";
  }
  EXPECT_TRUE(says(mistakesOf(text + "instances: {i: {of: a24}}\n"), "more than 1000000 items"));
}

TEST(AssemblyErrorsTest, WhatCannotBeInside) {
  EXPECT_TRUE(
      says(mistakesOf("assemblies: {a: {nods: {n: [0, 0, 0]}}}\n"), "did you mean 'nodes'"));
  EXPECT_TRUE(says(mistakesOf("assemblies: {a: {analysis: {time: {end: 1, step: 1}}}}\n"),
                   "cannot be inside an assembly"));
  EXPECT_TRUE(says(mistakesOf("assemblies: {a: [1, 2]}\n"), "expected sections"));
  EXPECT_TRUE(says(mistakesOf("assemblies: {a: {nodes: [1, 2]}}\n"), "expected named entries"));
  EXPECT_TRUE(
      says(mistakesOf("assemblies: {a: {parameters: 3}}\n"), "expected entries 'name: default'"));
}

TEST(AssemblyErrorsTest, FreedomsThatWouldBeSkew) {
  EXPECT_TRUE(
      says(mistakesOf("assemblies: {a: {nodes: {n: {position: [0, 0, 0], free: [rx, ry]}}}}\n"
                      "instances: {i: {of: a, rotation: {axis: [0, 0, 1], angle: 30 deg}}}\n"),
           "guide the node with a joint"));
  // In the plane of the turn they stay what they are.
  EXPECT_EQ(mistakesOf("assemblies: {a: {nodes: {n: {position: [0, 0, 0], free: [x, y, rz]}}}}\n"
                       "instances: {i: {of: a, rotation: {axis: [0, 0, 1], angle: 30 deg}}}\n"
                       "bodies: {b: {node: i.n, mass: 1, inertia: [1, 1, 1]}}\n"),
            "");
}

void expectPlacings(const std::vector<system::Parameter>& parameters, const std::string& owner) {
  for (const system::Parameter& parameter : parameters) {
    const bool isVector = parameter.shape == system::Shape::kVector;
    EXPECT_FALSE(isVector && parameter.placing == system::Placing::kUnstated)
        << owner << "." << parameter.name
        << ": say groundPoint, groundDirection or ownAxes where it is registered";
    expectPlacings(parameter.fields, owner + "." + parameter.name);
  }
}

// What is in an assembly is moved and turned by what the registry says of it.
TEST(AssemblyErrorsTest, EveryVectorOfTheRegistrySaysInWhichAxesItIs) {
  const system::Registry registry = api::makeRegistry();
  for (const system::TypeEntry& entry : registry.entries()) {
    expectPlacings(entry.parameters, entry.section + "." + entry.type);
  }
}

}  // namespace
}  // namespace flexloop::test
