#include "fem/mesh/surface.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

double areaOf(const SurfaceMesh& surface, const Mesh& mesh) {
  double area = 0.0;
  for (const auto& t : surface.triangles) {
    const Eigen::Vector3d a = mesh.points[t[1]] - mesh.points[t[0]];
    area += 0.5 * a.cross(mesh.points[t[2]] - mesh.points[t[0]]).norm();
  }
  return area;
}

// Fewer points, about the same box: its corners move by less than a cell, so its area changes by little.
TEST(Surface, ThinnedOutStaysTheSameBox) {
  const Mesh mesh = test::makeBox(ElementShape::kHex8, 24, 24, 24, {});
  const SurfaceMesh whole = makeSurface(mesh);
  EXPECT_NEAR(areaOf(whole, mesh), 6.0, 1e-12);
  EXPECT_EQ(thinOut(whole, mesh, whole.nodes.size()).nodes, whole.nodes);
  for (const std::size_t most : {2000, 600, 150}) {
    const SurfaceMesh thin = thinOut(whole, mesh, most);
    EXPECT_LE(thin.nodes.size(), most);
    EXPECT_GT(thin.nodes.size(), most / 4);
    const double cell = 1.0 / std::sqrt(static_cast<double>(thin.nodes.size()) / 6.0);
    EXPECT_NEAR(areaOf(thin, mesh), 6.0, 6.0 * 4.0 * cell) << most;
    for (const auto& t : thin.triangles) {
      EXPECT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    }
  }
}

TEST(Surface, IsThinnedOutInAnyUnit) {
  for (const double unit : {1e-9, 1e9}) {
    Mesh mesh = test::makeBox(ElementShape::kHex8, 12, 12, 12, {});
    const std::size_t usual = thinOut(makeSurface(mesh), mesh, 200).nodes.size();
    for (Eigen::Vector3d& point : mesh.points) point *= unit;
    EXPECT_NEAR(static_cast<double>(thinOut(makeSurface(mesh), mesh, 200).nodes.size()),
                static_cast<double>(usual), 0.25 * static_cast<double>(usual));
  }
}

}  // namespace
}  // namespace flexloop::fem
