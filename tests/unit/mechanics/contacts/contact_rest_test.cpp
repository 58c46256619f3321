// Contacts at rest and in linear analyses, and models that cannot be right.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
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

// A box on a slope, whose corners touch without overlap at the start, and others that start above and below.
TEST(ContactRest, OfABoxThatJustTouches) {
  for (const char* height : {"0.1", "0.0999", "0.1001"}) {
    for (const char* exponent : {"1", "1.5", "3"}) {
      const auto rest = analysis::findEquilibrium(buildModel(std::string(R"(
gravity: [= 9.81*sin(20*pi/180), 0, = -9.81*cos(20*pi/180)]
nodes: {b: {position: [0, 0, )") + height + R"(]}}
bodies: {b: {node: b, mass: 2, inertia: [0.02, 0.03, 0.04]}}
contacts: {floor: {type: box_plane, node: b, size: [0.4, 0.3, 0.2], plane: {normal: [0, 0, 1]}, stiffness: 1e6, exponent: )" +
                                                             exponent + R"(, friction: 0.6}}
sensors: {N: {measure: normal_force, contact: floor}, T: {measure: friction_force, contact: floor}, s: {measure: sticking, contact: floor}}
outputs: [N, T, s]
)"));
      ASSERT_TRUE(rest.report.ok()) << height << " " << exponent;
      const double slope = 20.0 * M_PI / 180.0;
      EXPECT_NEAR(rest.outputs[0], 2.0 * 9.81 * std::cos(slope), 1e-3) << height << " " << exponent;
      EXPECT_NEAR(rest.outputs[1], 2.0 * 9.81 * std::sin(slope), 1e-3) << height << " " << exponent;
      EXPECT_EQ(rest.outputs[2], 1.0);
    }
  }
}

std::vector<std::complex<double>> rootsOf(const std::string& text,
                                          model::OperatingPoint::Kind about) {
  const model::Model model = buildModel(text);
  const auto point = analysis::findOperatingPoint(model, {about, 0.0});
  EXPECT_TRUE(point.ok());
  std::vector<std::complex<double>> roots;
  for (const analysis::Mode& mode : analysis::findModes(model, point.state, {}).modes) {
    roots.push_back(mode.eigenvalue);
  }
  return roots;
}

// What rests sticks with its stiffness across the normal, 2(1−ν)/(2−ν) of that along it; what is open does nothing.
TEST(ContactModes, HaveTheStiffnessOfContactsThatStick) {
  const std::string law = "stiffness: 1e6, friction: 0.3";
  const auto roots = rootsOf(makeBall("0.0501", law), model::OperatingPoint::Kind::kEquilibrium);
  const double depth = std::pow(0.5 * 9.81 / 1e6, 1.0 / 1.5);
  const double along = std::sqrt(1.5e6 * std::sqrt(depth) / 0.5);
  ASSERT_EQ(roots.size(), 3u);
  const double across = along * std::sqrt(1.4 / 1.7);
  EXPECT_NEAR(roots[0].imag(), across, 1e-9 * across);
  EXPECT_NEAR(roots[1].imag(), across, 1e-9 * across);
  EXPECT_NEAR(roots[2].imag(), along, 1e-9 * along);
  for (const auto& root : rootsOf(makeBall("0.06", law), model::OperatingPoint::Kind::kInitial)) {
    EXPECT_EQ(root, 0.0);
  }
}

// Sliding friction μN resists a velocity across the sliding one, v = 2 m/s, by μN/v, and does not change with v itself.
TEST(ContactModes, HaveTheSlopeOfContactsThatSlide) {
  const auto roots = rootsOf(R"(
gravity: [0, 0, -9.81]
nodes: {b: {position: [0, 0, 0], free: [x, y], velocity: [2, 0, 0]}}
bodies: {b: {node: b, mass: 1}}
contacts: {floor: {type: sphere_plane, node: b, radius: 50 mm, plane: {at: [0, 0, -49 mm], normal: [0, 0, 1]}, stiffness: 1e4,
                   exponent: 1, friction: 0.3}}
)",
                             model::OperatingPoint::Kind::kInitial);
  double least = 0.0, sum = 0.0;
  for (const auto& root : roots) {
    EXPECT_EQ(root.imag(), 0.0);
    least = std::min(least, root.real());
    sum += root.real();
  }
  EXPECT_NEAR(least, -0.3 * 10.0 / 2.0, 1e-12);
  EXPECT_NEAR(sum, least, 1e-12);
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
