// What follows from displacements, accelerations and temperatures of a whole mesh. Displacements U and forces are given by nodal
// freedom, 6 · node + component; U = T u and f = Tᵀ F with T of PartSystem.
#pragma once

#include <Eigen/Core>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/elements/element_matrices.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Forces of gravity or of any uniform acceleration field, by the mass matrix: 𝓜 (a, 0), N and N m.
Eigen::VectorXd calcAccelerationForces(const PartSystem& part, const Eigen::Vector3d& acceleration);

// Forces that a uniform temperature change (K) is equivalent to. All functions below take a mesh that assemblePart accepts.
Eigen::VectorXd calcThermalForces(const Mesh& mesh, double temperature);

// Forces that the elements take from their nodes at these displacements, 𝓚 U.
Eigen::VectorXd calcElementForces(const Mesh& mesh, const Eigen::VectorXd& U);

// 𝓚_g of the linear stresses of U and a temperature change, over the nodal freedoms, lower triangle.
linalg::SparseMatrix assembleGeometricStiffness(const Mesh& mesh, const Eigen::VectorXd& U,
                                                double temperature = 0.0);

// Stresses at all nodes, one column each: the mean of the elements around, zero where there is none. The first three
// components are xx yy zz, then xy yz zx, mesh axes, Pa.
NodeStresses calcNodeStresses(const Mesh& mesh, const Eigen::VectorXd& U, double temperature = 0.0,
                              ShellSide side = ShellSide::kTop);
// At the listed nodes only, of several displacement fields, one by column: six rows per node, a column for each field. The
// elements that have none of the nodes are left out.
Eigen::MatrixXd calcStressesAt(const Mesh& mesh, const Eigen::MatrixXd& U,
                               const std::vector<int>& nodes, double temperature = 0.0,
                               ShellSide side = ShellSide::kTop);

}  // namespace flexloop::fem
