// Shape functions of solid elements on their reference shapes, theory section 28.1.
//
//   hex            −1 ≤ ξ, η, ζ ≤ 1
//   tet            ξ, η, ζ ≥ 0,  ξ + η + ζ ≤ 1
//   wedge          ξ, η ≥ 0,  ξ + η ≤ 1,  −1 ≤ ζ ≤ 1
//   pyramid        −1 ≤ ξ, η, ζ ≤ 1: a cube whose upper face is collapsed to the apex, ζ = 1
#pragma once

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

inline constexpr int kMostSolidNodes = 20;

struct ShapeValues {
  int nodes = 0;
  Eigen::Matrix<double, kMostSolidNodes, 1> N;   // the first `nodes` rows count
  Eigen::Matrix<double, kMostSolidNodes, 3> dN;  // ∂N/∂(ξ, η, ζ)
};

ShapeValues calcSolidShape(ElementShape shape, const Eigen::Vector3d& xi);

// Of a node on the reference shape.
Eigen::Vector3d referencePoint(ElementShape shape, int node);

}  // namespace flexloop::fem
