// Displacements and stresses of a part from its reduced coordinates z: rows that multiply them.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/elements/element_matrices.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Six rows per node, ux uy uz rx ry rz, in part axes. (6 · nodes) × coordinates.
Eigen::MatrixXd makeDisplacementRows(const PartSystem& part, const Eigen::MatrixXd& Phi,
                                     const std::vector<int>& nodes);
// Three rows per node, translations, for drawing: single precision is enough.
Eigen::MatrixXf makeSurfaceRows(const PartSystem& part, const Eigen::MatrixXd& Phi,
                                const std::vector<int>& nodes);
// Six rows per node, stresses xx yy zz xy yz zx in part axes, Pa: the mean of the elements that meet there; of shells on
// this side. Fails for a node that no element has.
base::Result<Eigen::MatrixXd> makeStressRows(const Mesh& mesh, const PartSystem& part,
                                             const Eigen::MatrixXd& Phi,
                                             const std::vector<int>& nodes, ShellSide side);

}  // namespace flexloop::fem
