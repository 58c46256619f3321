// The surface of a shell element: directors, offset, the ninth node of a quad8, and what is wrong with it.
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

namespace {

ShellInterpolation interpolationOf(ElementShape shape) {
  switch (shape) {
    case ElementShape::kTri6:
      return ShellInterpolation::kTri6;
    case ElementShape::kQuad4:
      return ShellInterpolation::kQuad4;
    case ElementShape::kQuad8:
      return ShellInterpolation::kQuad9;
    default:
      return ShellInterpolation::kTri3;
  }
}

Eigen::Vector3d calcCross(const ShellSurface& surface, double r, double s) {
  const int n = nodeCount(surface.shape);
  const ShapeValues v = calcShapeValues(surface.shape, r, s);
  const Eigen::Vector3d g_r = surface.points.leftCols(n) * v.N_r.head(n);
  const Eigen::Vector3d g_s = surface.points.leftCols(n) * v.N_s.head(n);
  return g_r.cross(g_s);
}

// The middle of an eight-node surface.
void addNinthNode(ShellSurface& surface) {
  surface.points.col(8) = surface.points.middleCols<4>(4).rowwise().sum() / 2 -
                          surface.points.leftCols<4>().rowwise().sum() / 4;
}

}  // namespace

ElementFault calcShellSurface(const ElementGeometry& geometry, ShellSurface& surface) {
  surface.shape = interpolationOf(geometry.shape);
  const int meshNodes = nodeCount(geometry.shape);
  const int nodes = nodeCount(surface.shape);
  for (int i = 0; i < meshNodes; ++i) {
    surface.points.col(i) = geometry.points[i];
  }
  if (nodes > meshNodes) {
    addNinthNode(surface);
  }
  const auto points = surface.points.leftCols(meshNodes);
  const double size = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  const bool isTriangle = nodes == 3 || nodes == 6;
  const Eigen::Vector3d middle =
      isTriangle ? calcCross(surface, 1. / 3, 1. / 3) : calcCross(surface, 0, 0);
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * size * size;
  if (!(middle.norm() > rounding)) {
    return ElementFault::kFlat;
  }
  for (int i = 0; i < nodes; ++i) {
    const auto [r, s, unused] = nodePoint(surface.shape, i);
    const Eigen::Vector3d cross = calcCross(surface, r, s);
    if (!(cross.dot(middle) > rounding * middle.norm())) {
      return ElementFault::kTangled;
    }
    surface.directors.col(i) = cross.normalized();
  }
  surface.points.leftCols(nodes) += geometry.property->offset * surface.directors.leftCols(nodes);
  if (nodes > meshNodes) {
    addNinthNode(surface);
  }
  return ElementFault::kNone;
}

ElementFault calcShellStrains(const ElementGeometry& geometry, ShellSurface& surface,
                              ShellStrains& strains) {
  if (const ElementFault fault = calcShellSurface(geometry, surface);
      fault != ElementFault::kNone) {
    return fault;
  }
  switch (surface.shape) {
    case ShellInterpolation::kTri6:
      calcTri6Strains(surface, strains);
      break;
    case ShellInterpolation::kQuad4:
      calcQuad4Strains(surface, strains);
      break;
    case ShellInterpolation::kQuad9:
      calcQuad8Strains(surface, strains);
      break;
    default:
      calcTri3Strains(surface, geometry.property->thickness, geometry.material->nu, strains);
  }
  return ElementFault::kNone;
}

}  // namespace flexloop::fem
