// Shape functions and points of integration of shells, over r, s ∈ [-1, 1] for quadrilaterals and r, s ≥ 0, r + s ≤ 1 for
// triangles. Nodes are ordered as in fem/mesh/mesh.hpp.
#pragma once

#include <span>

#include <Eigen/Core>

namespace flexloop::fem {

inline constexpr int kMostShellNodes = 9;

// The nine-node quadrilateral is internal: the eight nodes of a quad8 and its middle.
enum class ShellInterpolation { kTri3, kTri6, kQuad4, kQuad8, kQuad9 };

struct ShapeValues {
  Eigen::Matrix<double, kMostShellNodes, 1> N, N_r, N_s;  // N_r = ∂N/∂r
};

struct SurfacePoint {
  double r, s, weight;  // the weights add up to the area of the parent: 4 or 1/2
};

int nodeCount(ShellInterpolation shape);
ShapeValues calcShapeValues(ShellInterpolation shape, double r, double s);
// Coordinates of the nodes.
SurfacePoint nodePoint(ShellInterpolation shape, int node);

std::span<const SurfacePoint> triangleMiddles();    // of the edges 12 23 31: exact for degree 2
std::span<const SurfacePoint> triangleSixPoints();  // exact for degree 4
std::span<const SurfacePoint> gaussTwoByTwo();
std::span<const SurfacePoint> gaussThreeByThree();

}  // namespace flexloop::fem
