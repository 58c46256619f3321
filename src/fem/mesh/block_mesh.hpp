// The mesh of a rectangular block, for parts that need no mesher: brackets in a hurry, examples and tests.
#pragma once

#include <array>

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// The block [0, a] × [0, b] × [0, c] of hex8 or hex20 elements, with the node sets x0 x1 y0 y1 z0 z1 of its faces and the
// element set `block`.
Mesh makeBlock(const Eigen::Vector3d& size, const std::array<int, 3>& elements, ElementShape shape);

}  // namespace flexloop::fem
