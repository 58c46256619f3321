// Cantilevers against the closed forms of beam theory, and the NAFEMS frequencies of frames against beam models of an independent
// program (20 or fewer elements, exact static stiffness, consistent mass with rotary inertia).
#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/elements/element_matrices.hpp"
#include "support/part_solver.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

MeshMaterial makeSteel() {
  MeshMaterial material;
  material.name = "steel";
  material.E = 200e9;
  material.nu = 0.3;
  material.rho = 8000.0;
  return material;
}

std::vector<Vector3d> makeLine(const Vector3d& from, const Vector3d& to, int elements) {
  std::vector<Vector3d> points;
  for (int i = 0; i <= elements; ++i) {
    points.push_back(from + (to - from) * (static_cast<double>(i) / elements));
  }
  return points;
}

VectorXd solveTip(const Mesh& mesh, int component, double load) {
  const base::Result<PartSystem> part = assemblePart(mesh);
  EXPECT_TRUE(part.hasValue());
  test::PartSolver solver(part.value(), test::holdNodes({0}));
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  const auto tip = 6 * (static_cast<Eigen::Index>(mesh.points.size()) - 1);
  forces[tip + component] = load;
  return solver.solve(forces).segment<6>(tip);
}

// PL³/3EI + PL/κGA, PL²/2EI, L/EA and L/GJ.
TEST(BeamElement, IsExactUnderEndLoads) {
  const double L = 3.0;
  const MeshMaterial steel = makeSteel();
  BeamSection section = test::makeRectangle(0.2, 0.1);
  const double G = steel.E / 2.6;
  for (const double shear : {0.0, 5.0 / 6.0}) {
    section.shearY = section.shearZ = shear;
    const double slip = shear > 0.0 ? L / (shear * G * section.A) : 0.0;
    for (const int elements : {1, 4}) {
      const Mesh mesh =
          test::makeBeams(makeLine(Vector3d::Zero(), {L, 0, 0}, elements), steel, section);
      const VectorXd y = solveTip(mesh, 1, 1.0), z = solveTip(mesh, 2, 1.0);
      EXPECT_NEAR(y[1] / (L * L * L / (3 * steel.E * section.Iz) + slip), 1.0, 1e-10);
      EXPECT_NEAR(y[5] / (L * L / (2 * steel.E * section.Iz)), 1.0, 1e-10);
      EXPECT_NEAR(z[2] / (L * L * L / (3 * steel.E * section.Iy) + slip), 1.0, 1e-10);
      EXPECT_NEAR(z[4] / (-L * L / (2 * steel.E * section.Iy)), 1.0, 1e-10);
      EXPECT_NEAR(solveTip(mesh, 0, 1.0)[0] / (L / (steel.E * section.A)), 1.0, 1e-10);
      EXPECT_NEAR(solveTip(mesh, 3, 1.0)[3] / (L / (G * section.J)), 1.0, 1e-10);
    }
  }
}

// A section with Iyz is another section seen from turned axes.
TEST(BeamElement, CouplesBothPlanesOfASkewSection) {
  const double L = 2.0, angle = 0.4, c = std::cos(angle), s = std::sin(angle);
  const MeshMaterial steel = makeSteel();
  const BeamSection straight = test::makeRectangle(0.2, 0.05, 0.0);
  BeamSection skew = straight;
  // Axes turned by −angle about x: y' = c y − s z of the same area.
  skew.Iz = c * c * straight.Iz + s * s * straight.Iy;
  skew.Iy = s * s * straight.Iz + c * c * straight.Iy;
  skew.Iyz = c * s * (straight.Iz - straight.Iy);
  Mesh first = test::makeBeams({{0, 0, 0}, {L, 0, 0}}, steel, straight);
  first.elements[0].yAxis = {0.0F, static_cast<float>(c), static_cast<float>(s)};
  Mesh second = test::makeBeams({{0, 0, 0}, {L, 0, 0}}, steel, skew);
  second.elements[0].yAxis = {0.0F, 1.0F, 0.0F};
  for (int k = 0; k < 6; ++k) {
    const VectorXd a = solveTip(first, k, 1.0), b = solveTip(second, k, 1.0);
    EXPECT_LT((a - b).norm(), 1e-6 * a.norm());  // the axes of the mesh have single precision
  }
}

TEST(BeamElement, HasSixRigidMotionsAndTurnsWithItsAxis) {
  const MeshMaterial steel = makeSteel();
  Property property;
  property.beam = test::makeRectangle(0.2, 0.05);
  const Vector3d points[2] = {{1, 2, 3}, {2.5, 1, 4}};
  ElementGeometry geometry;
  geometry.shape = ElementShape::kBeam2;
  geometry.points = points;
  geometry.material = &steel;
  geometry.property = &property;
  geometry.yAxis = Vector3d(0, 1, 1);
  MatrixXd K, M;
  ASSERT_EQ(calcBeamMatrices(geometry, K, M), ElementFault::kNone);
  const VectorXd values = test::findSymmetricEigenvalues(K);
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(values[i]), 1e-14 * values[11]);
  EXPECT_GT(values[6], 1e-8 * values[11]);
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(1.1, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  const Vector3d turned[2] = {R * points[0], R * points[1]};
  geometry.points = turned;
  geometry.yAxis = R * geometry.yAxis;
  MatrixXd K2, M2, Q = MatrixXd::Zero(12, 12);
  for (int i = 0; i < 12; i += 3) Q.block<3, 3>(i, i) = R;
  ASSERT_EQ(calcBeamMatrices(geometry, K2, M2), ElementFault::kNone);
  EXPECT_LT((Q * K * Q.transpose() - K2).norm(), 1e-12 * K.norm());
  EXPECT_LT((Q * M * Q.transpose() - M2).norm(), 1e-12 * M.norm());
}

// Euler: a cantilever buckles at π² EI / 4L².
TEST(BeamElement, BucklesAtEulersLoad) {
  const MeshMaterial steel = makeSteel();
  const BeamSection section = test::makeRectangle(0.02, 0.01, 0.0);
  const int elements = 8;
  const double L = 1.0, force = 1.0;
  MatrixXd K = MatrixXd::Zero(6 * (elements + 1), 6 * (elements + 1)), Kg = K;
  Property property;
  property.beam = section;
  for (int i = 0; i < elements; ++i) {
    const Vector3d points[2] = {{L * i / elements, 0, 0}, {L * (i + 1) / elements, 0, 0}};
    ElementGeometry geometry;
    geometry.shape = ElementShape::kBeam2;
    geometry.points = points;
    geometry.material = &steel;
    geometry.property = &property;
    VectorXd state = VectorXd::Zero(12);
    state[0] = -force * L * i / elements / (steel.E * section.A);
    state[6] = -force * L * (i + 1) / elements / (steel.E * section.A);
    MatrixXd k, m, g;
    ASSERT_EQ(calcBeamMatrices(geometry, k, m), ElementFault::kNone);
    ASSERT_EQ(calcBeamGeometricStiffness(geometry, state, 0.0, g), ElementFault::kNone);
    K.block<12, 12>(6 * i, 6 * i) += k;
    Kg.block<12, 12>(6 * i, 6 * i) += g;
  }
  const int free = 6 * elements;
  // −K_g x = (1/P) K x
  const VectorXd values = test::findPencilEigenvalues(-Kg.bottomRightCorner(free, free),
                                                      K.bottomRightCorner(free, free));
  const double critical = 1.0 / values[values.size() - 1];
  EXPECT_NEAR(critical / (M_PI * M_PI * steel.E * section.Iy / (4 * L * L)), 1.0, 1e-5);
}

std::vector<int> holdOutOfPlane(const Mesh& mesh) {
  std::vector<int> all;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) all.push_back(static_cast<int>(i));
  return test::holdNodes(all, 0b011100);
}

void expectFrequencies(const std::vector<double>& found, const std::vector<double>& expected,
                       std::size_t skipped = 0) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[skipped + i] / expected[i], 1.0, 1e-4) << "mode " << i + 1;
  }
}

// NAFEMS FV2, Timoshenko 5/6: eight arms with pinned ends. Targets of Euler beams 11.336, 17.709, 45.345, 57.390.
TEST(BeamFrequencies, OfAPinEndedDoubleCross) {
  Mesh mesh;
  for (int arm = 0; arm < 8; ++arm) {
    const double angle = arm * M_PI / 4;
    const Mesh one = test::makeBeams(
        makeLine(Vector3d::Zero(), {5 * std::cos(angle), 5 * std::sin(angle), 0}, 8), makeSteel(),
        test::makeRectangle(0.125, 0.125));
    if (arm == 0) {
      mesh = one;
      continue;
    }
    const auto first = static_cast<int>(mesh.points.size()) - 1;
    for (int i = 1; i <= 8; ++i) {
      mesh.points.push_back(one.points[i]);
      mesh.nodeIds.push_back(static_cast<std::int64_t>(mesh.points.size()));
      MeshElement element = one.elements[i - 1];
      element.firstNode = static_cast<int>(mesh.elementNodes.size());
      mesh.elements.push_back(element);
      mesh.elementNodes.push_back(i == 1 ? 0 : first + i - 1);
      mesh.elementNodes.push_back(first + i);
    }
  }
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  std::vector<int> held = holdOutOfPlane(mesh);
  for (int arm = 1; arm <= 8; ++arm) {
    for (const int freedom : test::holdNodes({8 * arm}, 0b11)) held.push_back(freedom);
  }
  test::PartSolver solver(part.value(), held);
  const std::vector<double> f = solver.findFrequencies(10);
  expectFrequencies(f, {11.325, 17.638, 17.638, 17.666, 17.666, 17.666, 17.666, 17.666, 45.173});
}

// NAFEMS FV3: a free square frame. Targets 3.261, 5.668, 11.136, 12.849, 24.570, 28.695.
TEST(BeamFrequencies, OfAFreeSquareFrame) {
  std::vector<Vector3d> points;
  const Vector3d corners[5] = {{0, 0, 0}, {10, 0, 0}, {10, 10, 0}, {0, 10, 0}, {0, 0, 0}};
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < 16; ++i) {
      points.push_back(corners[side] + (corners[side + 1] - corners[side]) * (i / 16.0));
    }
  }
  Mesh mesh = test::makeBeams(points, makeSteel(), test::makeRectangle(0.25, 0.25));
  MeshElement last = mesh.elements.back();
  last.firstNode = static_cast<int>(mesh.elementNodes.size());
  mesh.elements.push_back(last);
  mesh.elementNodes.insert(mesh.elementNodes.end(), {63, 0});
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  test::PartSolver solver(part.value(), holdOutOfPlane(mesh), -100.0);
  expectFrequencies(solver.findFrequencies(11),
                    {3.2585, 5.6593, 11.1144, 11.1144, 12.7653, 24.4934, 28.4762, 28.4762}, 3);
}

// NAFEMS FV4: two masses on rigid arms at the tip of a cantilever. Targets 1.723, 1.727, 7.413, 9.972, 18.155, 26.957.
TEST(BeamFrequencies, OfACantileverWithMassesOffItsAxis) {
  const double d = 0.5;
  BeamSection section;
  section.A = M_PI * d * d / 4;
  section.Iy = section.Iz = M_PI * std::pow(d, 4) / 64;
  section.J = 2 * section.Iy;
  section.shearY = section.shearZ = 0.9;
  Mesh mesh = test::makeBeams(makeLine(Vector3d::Zero(), {10, 0, 0}, 20), makeSteel(), section);
  PointMass mass;
  mass.node = 20;
  mass.mass = 10000.0;
  mass.offset = Vector3d(0, 2, 0);
  mesh.masses.push_back(mass);
  mass.mass = 1000.0;
  mass.offset = Vector3d(0, -2, 0);
  mesh.masses.push_back(mass);
  const std::vector<double> expected{1.7220, 1.7255, 7.4098, 9.9472, 18.0449, 26.6918};
  {
    const base::Result<PartSystem> part = assemblePart(mesh);
    ASSERT_TRUE(part.hasValue());
    test::PartSolver solver(part.value(), test::holdNodes({0}));
    expectFrequencies(solver.findFrequencies(6), expected);
  }
  // The same with the masses on nodes of their own, on a rigid spider.
  Spider spider;
  spider.reference = 20;
  for (PointMass& other : mesh.masses) {
    mesh.points.push_back(Vector3d(10, 0, 0) + other.offset);
    mesh.nodeIds.push_back(static_cast<std::int64_t>(mesh.points.size()));
    other.node = static_cast<int>(mesh.points.size()) - 1;
    other.offset.setZero();
    spider.nodes.push_back(other.node);
  }
  mesh.spiders.push_back(spider);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  test::PartSolver solver(part.value(), test::holdNodes({0}));
  expectFrequencies(solver.findFrequencies(6), expected);
}

// NAFEMS FV5: a deep beam. Targets 42.649 ×2, 77.542, 125.00, 148.31 ×2; the torsion of a square section is 71.20, its target has
// the polar moment for the torsion constant.
TEST(BeamFrequencies, OfADeepBeam) {
  const Mesh mesh = test::makeBeams(makeLine(Vector3d::Zero(), {10, 0, 0}, 40), makeSteel(),
                                    test::makeRectangle(2.0, 2.0));
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  std::vector<int> held = test::holdNodes({0}, 0b001111);
  for (const int freedom : test::holdNodes({40}, 0b000110)) held.push_back(freedom);
  test::PartSolver solver(part.value(), held);
  expectFrequencies(solver.findFrequencies(9),
                    {42.610, 42.610, 71.201, 125.008, 147.826, 147.826, 213.71, 282.64, 282.64});
}

}  // namespace
}  // namespace flexloop::fem
