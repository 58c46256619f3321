#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/elements/element_matrices.hpp"
#include "fem/elements/solid_shapes.hpp"
#include "support/part_solver.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Points = std::vector<Vector3d>;

MeshMaterial steel() {
  MeshMaterial material;
  material.E = 210e9;
  material.nu = 0.3;
  material.rho = 7850.0;
  material.expansion = 12e-6;
  return material;
}

// The reference shape with its nodes moved a little; curved edges if it has nodes on them.
Points makeDistorted(ElementShape shape) {
  Points points;
  for (int i = 0; i < nodeCount(shape); ++i) {
    points.push_back(referencePoint(shape, i) +
                     0.04 * Vector3d(std::sin(7.0 * i), std::cos(11.0 * i), std::sin(3.0 * i + 1)));
  }
  return points;
}

// The same with straight edges: 4 points in a tetrahedron and 9 in a wedge do not integrate curved ones exactly.
Points makeStraight(ElementShape shape) {
  Points points = makeDistorted(shape);
  const auto straighten = [&](int first, std::vector<std::pair<int, int>> edges) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      points[first + i] = 0.5 * (points[edges[i].first] + points[edges[i].second]);
    }
  };
  if (shape == ElementShape::kTet10) {
    straighten(4, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}});
  }
  if (shape == ElementShape::kWedge15) {
    straighten(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}});
  }
  return points;
}

ElementGeometry makeGeometry(ElementShape shape, const Points& points,
                             const MeshMaterial& material) {
  ElementGeometry geometry;
  geometry.shape = shape;
  geometry.points = points.data();
  geometry.material = &material;
  return geometry;
}

struct Matrices {
  MatrixXd K, M;
};

Matrices calcMatrices(ElementShape shape, const Points& points, const MeshMaterial& material) {
  Matrices result;
  EXPECT_EQ(calcSolidMatrices(makeGeometry(shape, points, material), result.K, result.M),
            ElementFault::kNone);
  return result;
}

class SolidElement : public testing::TestWithParam<ElementShape> {
 protected:
  ElementShape shape() const { return GetParam(); }
  MeshMaterial material_ = steel();
  Points points_ = makeDistorted(GetParam());
};

TEST_P(SolidElement, HasSixMotionsWithoutEnergyAndNoMore) {
  const Matrices m = calcMatrices(shape(), points_, material_);
  const VectorXd values = test::findSymmetricEigenvalues(m.K);
  const double largest = values[values.size() - 1];
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(values[i]), 1e-14 * largest);
  EXPECT_GT(values[6], 1e-4 * largest);
  EXPECT_GT(test::findSymmetricEigenvalues(m.M)[0], 0.0);
}

TEST_P(SolidElement, HasTheMassOfItsVolume) {
  const Matrices m = calcMatrices(shape(), points_, material_);
  const double volume = calcSolidVolume(makeGeometry(shape(), points_, material_));
  for (int k = 0; k < 3; ++k) {
    VectorXd motion = VectorXd::Zero(m.M.rows());
    for (int i = k; i < motion.size(); i += 3) motion[i] = 1.0;
    EXPECT_NEAR(motion.dot(m.M * motion), material_.rho * volume, 1e-11 * material_.rho * volume);
  }
}

TEST_P(SolidElement, TurnsWithItsNodes) {
  const Matrix3d R = Eigen::AngleAxisd(0.7, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  Points turned;
  for (const Vector3d& point : points_) turned.push_back(R * point + Vector3d(100, -50, 30));
  const Matrices before = calcMatrices(shape(), points_, material_);
  const Matrices after = calcMatrices(shape(), turned, material_);
  MatrixXd Q = MatrixXd::Zero(before.K.rows(), before.K.rows());
  for (int i = 0; i < Q.rows(); i += 3) Q.block<3, 3>(i, i) = R;
  EXPECT_LT((Q * before.K * Q.transpose() - after.K).norm(), 1e-11 * before.K.norm());
  EXPECT_LT((Q * before.M * Q.transpose() - after.M).norm(), 1e-11 * before.M.norm());
}

// K grows with E and the size, M with the density and the volume.
TEST_P(SolidElement, ScalesWithUnits) {
  const Matrices unit = calcMatrices(shape(), points_, material_);
  for (const double size : {1e-6, 1e6}) {
    for (const double stiffness : {1e-12, 1e12}) {
      Points points = points_;
      for (Vector3d& point : points) point *= size;
      MeshMaterial material = material_;
      material.E *= stiffness;
      const Matrices m = calcMatrices(shape(), points, material);
      EXPECT_LT((m.K / (size * stiffness) - unit.K).norm(), 1e-12 * unit.K.norm());
      EXPECT_LT((m.M / (size * size * size) - unit.M).norm(), 1e-12 * unit.M.norm());
    }
  }
}

// u = A x with the stress of Hooke's law at every node, and no forces on inner modes.
TEST_P(SolidElement, HasExactStressesInUniformStrain) {
  points_ = makeStraight(shape());
  Matrix3d A;
  A << 1e-3, 2e-4, -3e-4, 1e-4, -5e-4, 6e-4, 2e-4, 3e-4, 4e-4;
  VectorXd u(3 * static_cast<int>(points_.size()));
  for (std::size_t i = 0; i < points_.size(); ++i) u.segment<3>(3 * i) = A * points_[i];
  const double mu = 0.5 * material_.E / 1.3, lambda = 2.0 * mu * 0.3 / 0.4;
  const Matrix3d strain = 0.5 * (A + A.transpose());
  const Matrix3d stress = 2.0 * mu * strain + lambda * strain.trace() * Matrix3d::Identity();
  Eigen::Matrix<double, 6, 1> exact;
  exact << stress(0, 0), stress(1, 1), stress(2, 2), stress(0, 1), stress(1, 2), stress(2, 0);
  NodeStresses found;
  const ElementGeometry geometry = makeGeometry(shape(), points_, material_);
  ASSERT_EQ(calcSolidStresses(geometry, u, 0.0, found), ElementFault::kNone);
  for (int i = 0; i < found.cols(); ++i) {
    EXPECT_LT((found.col(i) - exact).norm(), 1e-10 * exact.norm());
  }
  // The strain energy is that of the continuum.
  const Matrices m = calcMatrices(shape(), points_, material_);
  const double energy = (stress.cwiseProduct(strain)).sum() * calcSolidVolume(geometry);
  EXPECT_NEAR(u.dot(m.K * u), energy, 1e-9 * energy);
}

// A free element that is heated expands without stress.
TEST_P(SolidElement, ExpandsWithoutStress) {
  const ElementGeometry geometry = makeGeometry(shape(), points_, material_);
  VectorXd load, u(3 * static_cast<int>(points_.size()));
  ASSERT_EQ(calcSolidThermalLoad(geometry, load), ElementFault::kNone);
  const double change = 50.0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    u.segment<3>(3 * i) = material_.expansion * change * points_[i];
  }
  const Matrices m = calcMatrices(shape(), points_, material_);
  EXPECT_LT((m.K * u - change * load).norm(), 1e-11 * (change * load).norm());
  NodeStresses stresses;
  ASSERT_EQ(calcSolidStresses(geometry, u, change, stresses), ElementFault::kNone);
  EXPECT_LT(stresses.norm(), 1e-10 * material_.E * material_.expansion * change);
}

// In a uniform stress σ the energy of a displacement u is ½ ∫ σ_ab ∂u·∂_a ∂u·∂_b: with u = A x it is ½ V tr(A σ Aᵀ).
TEST_P(SolidElement, HasTheGeometricStiffnessOfItsStress) {
  points_ = makeStraight(shape());
  VectorXd state(3 * static_cast<int>(points_.size())), motion(state.size());
  Matrix3d A, B;
  A << 1e-3, 2e-4, -3e-4, 2e-4, -5e-4, 6e-4, -3e-4, 6e-4, 4e-4;
  B << 0.0, -0.3, 0.2, 0.3, 0.0, -0.1, -0.2, 0.1, 0.0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    state.segment<3>(3 * i) = A * points_[i];
    motion.segment<3>(3 * i) = B * points_[i];
  }
  const double mu = 0.5 * material_.E / 1.3, lambda = 2.0 * mu * 0.3 / 0.4;
  const Matrix3d stress = 2.0 * mu * A + lambda * A.trace() * Matrix3d::Identity();
  const ElementGeometry geometry = makeGeometry(shape(), points_, material_);
  MatrixXd Kg;
  ASSERT_EQ(calcSolidGeometricStiffness(geometry, state, 0.0, Kg), ElementFault::kNone);
  const double energy = (B * stress * B.transpose()).trace() * calcSolidVolume(geometry);
  EXPECT_NEAR(motion.dot(Kg * motion), energy, 1e-9 * std::abs(energy));
  EXPECT_LT((Kg - Kg.transpose()).norm(), 1e-12 * Kg.norm());
}

TEST_P(SolidElement, IsRefusedWhenInvertedOrFlat) {
  Points mirrored = points_, flat = points_;
  for (Vector3d& point : mirrored) point.x() = -point.x();
  for (Vector3d& point : flat) point.z() = 1.0;
  MatrixXd K, M;
  EXPECT_EQ(calcSolidMatrices(makeGeometry(shape(), mirrored, material_), K, M),
            ElementFault::kInverted);
  EXPECT_EQ(calcSolidMatrices(makeGeometry(shape(), flat, material_), K, M), ElementFault::kFlat);
}

TEST(SolidElements, TangledIsRefused) {
  Points points;
  for (int i = 0; i < 8; ++i) points.push_back(referencePoint(ElementShape::kHex8, i));
  std::swap(points[6], points[4]);
  MatrixXd K, M;
  const MeshMaterial material = steel();
  EXPECT_EQ(calcSolidMatrices(makeGeometry(ElementShape::kHex8, points, material), K, M),
            ElementFault::kTangled);
}

TEST(SolidElements, StressInvariants) {
  Eigen::Matrix<double, 6, 1> shear;
  shear << 0, 0, 0, 3.0, 0, 0;
  EXPECT_DOUBLE_EQ(calcVonMises(shear), 3.0 * std::sqrt(3.0));
  EXPECT_LT((calcPrincipalStresses(shear) - Vector3d(3, 0, -3)).norm(), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(All, SolidElement,
                         testing::Values(ElementShape::kTet4, ElementShape::kTet10,
                                         ElementShape::kPyramid5, ElementShape::kWedge6,
                                         ElementShape::kWedge15, ElementShape::kHex8,
                                         ElementShape::kHex20),
                         [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace flexloop::fem
