// Geometric stiffness of a whole mesh under stress: of its elements (28.8), and of its rigid spiders, whose nodes move along
// circles. With the forces F_i that elements take from the nodes of a spider, less the loads on these, at r_i from its reference,
// which turns by θ,
//
//   ½ θᵀ B θ = Σ F_i · ½ θ × (θ × r_i),      B = Σ sym(F_i r_iᵀ) − (F_i · r_i) I.                        (31.23)
#pragma once

#include <optional>

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::fem {

struct NodeForce {
  int node = 0;
  Eigen::Vector3d force;
};

// By nodal freedom, 6 · node + component.
struct StressState {
  Eigen::VectorXd displacement;
  Eigen::VectorXd loads;           // on the nodes, as of a spin; empty: none
  std::optional<NodeForce> force;  // on an interface
};

// Over the nodal freedoms, lower triangle. Where the force is on the reference of an averaging spider, it acts at the centre of
// its nodes in the end.
linalg::SparseMatrix assemblePrestress(const Mesh& mesh, const StressState& state);

}  // namespace flexloop::fem
