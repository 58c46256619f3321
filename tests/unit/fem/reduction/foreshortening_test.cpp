// Stiffness by forces at interfaces against closed solutions of columns, and against what a rotation of the whole must do.
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double kE = 70e9, kLength = 1.0, kWidth = 0.03, kHeight = 0.02;
// Without lateral contraction ends that are held rigid make no difference.
const MeshMaterial kMaterial{"aluminium", kE, 0.0, 2700.0};

// A column along x, bent and slanted by `form`; the second interface at `tip`.
mechanics::ReducedModel reduceColumn(const std::function<Vector3d(const Vector3d&)>& form,
                                     const Vector3d& tip, bool spread) {
  Mesh mesh = test::makeBox(ElementShape::kHex20, 12, 1, 1, kMaterial, [&](const Vector3d& p) {
    return form(Vector3d(kLength * p.x(), kWidth * (p.y() - 0.5), kHeight * (p.z() - 0.5)));
  });
  const Mesh straight =
      test::makeBox(ElementShape::kHex20, 12, 1, 1, kMaterial, [](const Vector3d& p) { return p; });
  mesh.nodeSets["root"] = test::findNodes(straight, [](const Vector3d& p) { return p.x() < 1e-9; });
  mesh.nodeSets["tip"] =
      test::findNodes(straight, [](const Vector3d& p) { return p.x() > 1.0 - 1e-9; });
  const auto interfaces = addInterfaces(
      mesh, {{"root", "root", {}, Vector3d::Zero(), false}, {"tip", "tip", {}, tip, spread}});
  EXPECT_TRUE(interfaces.hasValue());
  const auto part = assemblePart(mesh);
  PartReduction request;
  request.options.modes = 8;
  request.options.compared = 0;
  request.options.foreshortening = true;
  request.geometricStiffness = [&](const StressState& state) {
    return assemblePrestress(mesh, state);
  };
  const auto reduced = reducePart(part.value(), interfaces.value(), request);
  EXPECT_TRUE(reduced.hasValue()) << (reduced ? "" : reduced.failure().message);
  return reduced.value().model;
}

Vector3d straight(const Vector3d& p) {
  return p;
}

// The least pressure along x under which K − P B is singular with the root held: the largest eigenvalue of K⁻¹ B.
double bucklingLoad(const mechanics::ReducedModel& model) {
  const Eigen::Index n = model.K.rows() - 6;
  const auto root = linalg::findSymmetricEigensystem(model.K.bottomRightCorner(n, n));
  const MatrixXd half = root->vectors * root->values.cwiseSqrt().cwiseInverse().asDiagonal();
  const auto loads = linalg::findSymmetricEigensystem(half.transpose() *
                                                      model.B[0].bottomRightCorner(n, n) * half);
  return 1.0 / loads->values[n - 1];
}

constexpr double kBending = kE * kWidth * kHeight * kHeight * kHeight / 12.0;

TEST(Foreshortening, AColumnBucklesAtEulersLoad) {
  const double euler = std::pow(0.5 * std::numbers::pi / kLength, 2) * kBending;
  for (const bool spread : {false, true}) {
    const auto model = reduceColumn(straight, Vector3d(kLength, 0.0, 0.0), spread);
    ASSERT_EQ(model.B.size(), 3U);
    // Shear takes π² E I / (4 L² · 5/6 G A) = 2e-4 of it.
    EXPECT_NEAR(bucklingLoad(model) / euler, 1.0, 2e-3) << spread;
  }
}

// With a rigid arm of a at the tip, which the load pushes at: k a tan(k L) = 1. Half a length: k L = 1.07687; a quarter of the
// length back, where the load pulls the tip towards the root: k L = 2.04301.
TEST(Foreshortening, ARigidArmTakesPart) {
  for (const bool spread : {false, true}) {
    for (const auto& [arm, kL] : {std::pair{0.5, 1.076873986}, std::pair{-0.25, 2.043008612}}) {
      const auto model = reduceColumn(straight, Vector3d((1.0 + arm) * kLength, 0.0, 0.0), spread);
      const double load = std::pow(kL / kLength, 2) * kBending;
      EXPECT_NEAR(arm * kL * std::tan(kL), 1.0, 1e-7);
      EXPECT_NEAR(bucklingLoad(model) / load, 1.0, 4e-3) << arm << " " << spread;
    }
  }
}

// All interfaces turn about the first: what is left of B_j is the work of its force along the circle.
TEST(Foreshortening, ARotationOfTheWholeCostsNothingButTheWorkOfTheLoad) {
  const auto bent = [](const Vector3d& p) {
    return Vector3d(p.x(), p.y() + 0.3 * p.x() * p.x(), p.z() + 0.2 * p.x() - 0.1 * p.x() * p.y());
  };
  const Vector3d tip(1.1, 0.4, 0.1), theta(0.3, -0.7, 0.5);
  const auto model = reduceColumn(bent, tip, false);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(model.K.rows());
  z.segment<3>(3) = theta;
  z.segment<3>(6) = theta.cross(tip);
  z.segment<3>(9) = theta;
  const Vector3d inward = theta.cross(theta.cross(tip));
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(z.dot(model.B[j] * z), -inward[j], 1e-7 * inward.norm()) << j;
    EXPECT_LT((model.B[j] - model.B[j].transpose()).norm(), 1e-12 * model.B[j].norm());
  }
}

}  // namespace
}  // namespace flexloop::fem
