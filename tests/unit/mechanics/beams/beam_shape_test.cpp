// The unloaded beam: its curve, its mesh and nodes, and what the model language refuses.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "mechanics/beams/beam_curve.hpp"
#include "mechanics/beams/beam_mesh.hpp"
#include "support/matrix_matchers.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Vec3;
using test::isNear;
using test::StaticMachine;

constexpr const char* kSection =
    "flexloop: 1\nsections: {s: {type: stiffness, EA: 1e4, GAy: 5e3, GAz: 4e3, GJ: 100, EIy: 100, "
    "EIz: 100, rhoA: 1, rhoJ: [0.2, 0.1, 0.1]}}\n";

TEST(BeamCurve, ArcThroughThreePoints) {
  const double R = 2.0;
  const auto point = [&](double angle) {
    return Vec3<double>(1.0 + R * std::sin(angle), -1.0 + R * (1.0 - std::cos(angle)), 0.5);
  };
  for (const double angle : {0.3, 1.0, 3.0, 3.3, 5.9}) {
    const auto line = makeArc(point(0.0), point(0.4 * angle), point(angle));
    ASSERT_TRUE(line);
    EXPECT_NEAR(line.value().length, R * angle, 1e-12);
    EXPECT_TRUE(isNear(line.value().tangent, Vec3<double>(1, 0, 0), 1e-12));
    const auto curve = makeCurve(line.value(), {0.3, 0.2, 1.0}, 0.7);
    ASSERT_TRUE(curve);
    for (const double f : {0.0, 0.25, 1.0}) {
      const Frame<double> F = curve->at(f);
      EXPECT_TRUE(isNear(F.x, point(f * angle), 1e-12));
      EXPECT_TRUE(
          isNear(F.R.col(0), Vec3<double>(std::cos(f * angle), std::sin(f * angle), 0), 1e-12));
      EXPECT_TRUE(test::isRotation(F.R, 1e-14));
      // Without twist the angle between y and the plane of the arc stays.
      EXPECT_NEAR(
          std::atan2(F.R(2, 2), F.R(2, 1)) - std::atan2(curve->start.R(2, 2), curve->start.R(2, 1)),
          -0.7 * f, 1e-12);
    }
  }
  EXPECT_FALSE(makeArc({0, 0, 0}, {1, 1, 1}, {2, 2, 2}));
  EXPECT_FALSE(makeStraightLine({1, 2, 3}, {1, 2, 3}));
}

TEST(BeamMesh, PointsSplitElementsAndInnerNodesStay) {
  const BeamMesh plain = makeBeamMesh(4, 1, {0.25, 0.5 + 1e-12, 1.0});
  EXPECT_EQ(plain.elements(), 4);
  const BeamMesh split = makeBeamMesh(4, 1, {0.0, 0.3, 0.4, 0.4 + 1e-11});
  EXPECT_EQ(split.fractions, (std::vector<double>{0.0, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0}));
  EXPECT_EQ(split.numbers, (std::vector<int>{0, 1, -1, -1, 2, 3, 4}));
  EXPECT_EQ(findElement(split, 0.35), 2);
  EXPECT_EQ(findElement(split, 0.4), 3);
  EXPECT_EQ(findElement(split, 1.0), 5);
  EXPECT_EQ(findMeshNode(split, 0.4), 3);
  EXPECT_EQ(findMeshNode(split, 0.6), -1);
  // A split element of order 2 breaks at its middle node too.
  const BeamMesh quadratic = makeBeamMesh(2, 2, {0.125});
  EXPECT_EQ(quadratic.fractions,
            (std::vector<double>{0.0, 0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1.0}));
  EXPECT_EQ(quadratic.numbers, (std::vector<int>{0, -1, -1, -1, 1, -1, 2, 3, 4}));
}

TEST(BeamMesh, SharesSumUpToOne) {
  for (const int order : {1, 2, 3}) {
    const BeamMesh mesh = makeBeamMesh(3, order, {0.11});
    const std::vector<double> shares = calcShares(mesh);
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < mesh.nodes(); ++i) {
      sum += shares[i];
      square += shares[i] * mesh.fractions[i] * mesh.fractions[i];
    }
    EXPECT_NEAR(sum, 1.0, 1e-15);
    // Order 1 integrates straight lines, order 2 and 3 parabolas too.
    EXPECT_NEAR(square, 1.0 / 3.0, order > 1 ? 1e-15 : 0.03);
  }
}

TEST(Beam, UnloadedShapesHaveNoForces) {
  for (const char* mesh : {"elements: 3", "elements: 3, inertia: lumped", "elements: 2, order: 2",
                           "elements: 2, order: 3", "elements: 2, order: 2, inertia: consistent",
                           "elements: 2, order: 3, inertia: consistent"}) {
    StaticMachine machine(std::string(kSection) + R"(nodes:
  A: {position: [0.1, 0.2, 0.3], rotation: {axis: [1, 2, 3], angle: 70 deg}}
  B: {position: [1, 0.4, -0.2], rotation: {axis: [-1, 0, 2], angle: 130 deg}}
beams: {b: {from: A, to: B, via: [0.3, 0.9, 0.5], twist: 1, section: s, y_axis: [0.1, 0, 1], )" +
                          mesh + "}}\n");
    const Eigen::VectorXd r = machine.calcResidual();
    EXPECT_TRUE(isNear(r, Eigen::VectorXd::Zero(r.size()).eval(), 1e-9)) << mesh;
  }
}

// Ends that move as one rigid body take the inner nodes along.
TEST(Beam, InnerNodesStartWithTheirEnds) {
  StaticMachine machine(std::string(kSection) + R"(nodes:
  A: {position: [0, 1, 0], rotation: {axis: [1, 1, 0], angle: 1}, velocity: [-2, 0, 0], angular_velocity: [0, 0, 2]}
  B: {position: [2, 1, 0], velocity: [-2, 4, 0], angular_velocity: [0, 0, 2]}
beams: {b: {from: A, to: B, via: [1, 0.4, 0.2], elements: 5, section: s, y_axis: [0, 0, 1]}}
)");
  const auto& motion = machine.assembler().calcMotion(machine.state());
  for (const system::NodeMotion& node : motion.nodes) {
    if (&node == &motion.nodes.front()) continue;  // ground
    const Vec3<double> omega(0, 0, 2);
    EXPECT_TRUE(isNear((node.frame.R * math::firstOf(node.twist)).eval(),
                       math::cross<double>(omega, node.frame.x), 1e-13));
    EXPECT_TRUE(isNear((node.frame.R * math::secondOf(node.twist)).eval(), omega, 1e-13));
  }
}

TEST(Beam, PointsAreNodes) {
  StaticMachine machine(std::string(kSection) +
                        "nodes: {A: {position: [0, 0, 0], free: []}, B: [10, 0, 0]}\n"
                        "beams: {b: {from: A, to: B, section: s, y_axis: [0, 1, 0], elements: 4}}\n"
                        "bodies: {m1: {node: b@0.530, mass: 1}, m2: {node: b@0.50, mass: 1}, m3: "
                        "{node: b.3, mass: 1}}\n");
  EXPECT_EQ(machine.model().system().nodes().size(), 7U);  // ground, A, B, three inner, one point
  EXPECT_NEAR(machine.frame("b@0.53").x[0], 5.3, 1e-14);
  EXPECT_NEAR(machine.frame("b.3").x[0], 7.5, 1e-14);
}

std::string complaintAbout(const std::string& beam) {
  try {
    const StaticMachine machine(std::string(kSection) +
                                "nodes: {A: [0, 0, 0], B: [1, 0, 0], C: [0, 0, 0]}\nbeams: {b: {" +
                                beam + "}}\n");
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().errors().size(), 1U) << error.what();
    return error.diagnostics().errors().front().message;
  }
  return "";
}

TEST(Beam, RefusesWhatCannotBe) {
  const std::string good = "from: A, to: B, section: s, y_axis: [0, 1, 0], elements: ";
  const auto expectComplaint = [](const std::string& is, const char* part) {
    EXPECT_NE(is.find(part), std::string::npos) << "got: " << is;
  };
  EXPECT_EQ(complaintAbout(good + "3"), "");
  expectComplaint(complaintAbout(good + "0"), "must be at least 1");
  expectComplaint(complaintAbout(good + "3000000"), "must be at most");
  expectComplaint(complaintAbout(good + "3, order: 4"), "must be at most 3");
  expectComplaint(complaintAbout(good + "3, damping: -1"), "must not be negative");
  expectComplaint(complaintAbout(good + "1, twist: 200 deg"), "would turn by 200 degrees");
  expectComplaint(complaintAbout(good + "1, via: [0.5, 0, 0]"), "lies on the line");
  expectComplaint(complaintAbout("from: A, to: C, section: s, y_axis: [0, 1, 0], elements: 1"),
                  "at the same point");
  expectComplaint(complaintAbout("from: A, to: B, section: s, y_axis: [2, 0, 0], elements: 1"),
                  "'y_axis' is along the beam");
  expectComplaint(complaintAbout("from: A, to: B, section: s, elements: 1"), "'y_axis' is missing");
}

}  // namespace
}  // namespace flexloop::mechanics
