// Contacts at rest and in linear analyses, and models that cannot be right.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

std::string makeBall(const std::string& height, const std::string& law) {
  return R"(
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, )" +
         height + R"(], free: [x, y, z]}}
bodies: {ball: {node: ball, mass: 0.5}}
contacts: {floor: {type: sphere_plane, node: ball, radius: 50 mm, plane: {normal: [0, 0, 1]}, )" +
         law + R"(}}
sensors: {d: {measure: penetration, contact: floor}, s: {measure: sticking, contact: floor}}
outputs: [d, s]
)";
}

TEST(ContactRest, IsFoundFromAboveAndBelow) {
  const double weight = 0.5 * 9.81;
  for (const char* height : {"0.05", "0.0501", "0.04999", "0.06", "0.045"}) {
    const auto hertz = analysis::findEquilibrium(
        buildModel(makeBall(height, "stiffness: 1e6, exponent: 1.5, friction: 0.3")));
    ASSERT_TRUE(hertz.report.ok()) << height;
    EXPECT_NEAR(hertz.outputs[0], std::pow(weight / 1e6, 1.0 / 1.5), 1e-12) << height;
    EXPECT_EQ(hertz.outputs[1], 1.0);
    const auto table = analysis::findEquilibrium(buildModel(
        makeBall(height, "table: {depth: [0, 1 mm, 2 mm], force: [0, 2, 10]}, friction: 0.3")));
    ASSERT_TRUE(table.report.ok()) << height;
    EXPECT_NEAR(table.outputs[0], 1e-3 + (weight - 2.0) / 8e3, 1e-12) << height;
  }
}

std::string complaintAbout(const std::string& contact) {
  return mistakesOf(R"(
nodes: {a: [0, 0, 0.06], b: [0, 0, 0.3], held: {position: [1, 0, 0], free: []}}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}
contacts: {c: {)" + contact +
                    "}}\n");
}

TEST(ContactMistakes, AreNamed) {
  const std::string plane = ", plane: {normal: [0, 0, 1]}", k = ", stiffness: 1e6";
  const std::string ball = "type: sphere_plane, node: a, radius: 50 mm";
  const auto expectTold = [](const std::string& contact, const std::string& words) {
    const std::string said = complaintAbout(contact);
    EXPECT_NE(said.find(words), std::string::npos) << contact << "\n" << said;
    EXPECT_NE(said.find("m.yaml:"), std::string::npos) << said;
  };
  EXPECT_EQ(complaintAbout(ball + plane + k), "");
  expectTold(ball + ", plane: {normal: [0, 0, 0]}" + k, "normal");
  expectTold(ball + ", plane: {node: a, normal: [0, 0, 1]}" + k,
             "both shapes belong to the node 'a'");
  expectTold("type: sphere_plane, node: held, radius: 1" + plane + k, "can move");
  expectTold("type: sphere_plane, node: a, radius: -50 mm" + plane + k, "radius");
  expectTold(ball + plane + ", stiffness: -1", "stiffness");
  expectTold(ball + plane + k + ", friction: -0.1", "friction");
  expectTold(ball + plane + k + ", friction: 0.3, static: 0.2", "'static' is less than");
  expectTold(ball + plane + k + ", exponent: 0.5", "the exponent is less than 1");
  expectTold(ball + plane, "the stiffness of the contact is missing");
  expectTold(ball + plane + k + ", hertz: {E: 210 GPa}", "given more than once");
  expectTold(ball + plane + ", hertz: {E: 210 GPa, nu: 0.7}", "Poisson's ratio");
  expectTold(ball + ", plane: {at: [0, 0, 0.2], normal: [0, 0, 1]}" + k, "overlap by 0.19 m");
  expectTold(ball + plane + ", table: {depth: [0, 1 mm], force: [1, 2]}", "does not begin with");
  expectTold(ball + plane + ", table: {depth: [0, 2 mm, 1 mm], force: [0, 1, 2]}", "must increase");
  expectTold(ball + plane + ", table: {depth: [0, 2 mm], force: [0]}", "2 depths and 1 forces");
  expectTold("type: box_plane, node: a, size: [0.1, 0, 0.1]" + plane + k, "an edge of the box");
  expectTold(
      "type: sphere_sphere, first: {node: a, radius: 0.1}, second: {node: b, radius: 0.1, "
      "at: [0, 0, 0.06]}" +
          k,
      "the centres coincide");
  expectTold(
      "type: sphere_sphere, first: {node: a, radius: 0.1}, second: {node: a, radius: 0.1}" + k,
      "both shapes belong to the node 'a'");
}

}  // namespace
}  // namespace flexloop::test
