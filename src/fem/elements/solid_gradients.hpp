// Gradients of the shape functions of one solid element in space, at the points of an integration rule.
#pragma once

#include <Eigen/Core>

#include "fem/elements/element_matrices.hpp"
#include "fem/elements/solid_shapes.hpp"
#include "fem/elements/solid_tables.hpp"

namespace flexloop::fem {

// Sizes are bounded so that these live on the stack.
inline constexpr int kMostSolidFreedoms = 3 * kMostSolidNodes;
inline constexpr int kIncompatibleModes = 3;

using SolidGradients =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSolidFreedoms, kMostSolidPoints>;
using SolidSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSolidFreedoms,
                                  kMostSolidFreedoms>;
using PointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSolidPoints, 1>;
// Displacements of the nodes, or of nodes and incompatible modes, one per column.
using SolidMotion = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMostSolidNodes>;

struct LameModuli {
  double lambda, mu;  // Pa
};
LameModuli calcLameModuli(const MeshMaterial& material);

struct PointGradients {
  SolidGradients G;     // row 3 i + a, column q: ∂N_i/∂x_a at point q
  PointVector volumes;  // weight · det J, m³
  ElementFault fault = ElementFault::kNone;
};

// Of the nodes, and after them of the incompatible modes of a shape that has them.
void calcGradients(const ElementGeometry& geometry, const SolidTable& table, const RuleTable& rule,
                   PointGradients& result);
// Only the volumes.
ElementFault calcVolumes(const ElementGeometry& geometry, const RuleTable& rule,
                         PointVector& volumes);

// K of an isotropic material (28.4) in the freedoms of all modes, lower triangle of 3 × 3 blocks.
void calcStiffness(const LameModuli& moduli, PointGradients& gradients, SolidSquare& K);

// Amplitudes of the incompatible modes that make the element's forces on them vanish, (28.6): `modes` = C · nodes.
using Condensation = Eigen::Matrix<double, 3 * kIncompatibleModes, 24>;
Condensation calcCondensation(const SolidSquare& K);

}  // namespace flexloop::fem
