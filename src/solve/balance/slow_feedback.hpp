// What controllers do to slow motions: the stiffness that signals and states add to that of the machine when they have time
// to settle (docs/theory/10_equilibrium.md, section 10.8),
//
//     −L S(s)⁻¹ R(s)  for s → 0,    S = K_bb + s C_bb,   R = K_bm + s C_bm,   L = K_mb,
//
// with b for blocks and m for motions and multipliers.
#pragma once

#include <optional>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/unknowns.hpp"

namespace flexloop::solve {

// Of the tangents K and C, whose rows have the kinds given; a matrix of their size with entries of motions and multipliers alone, which
// is empty where nothing feeds back. Integrals make it grow as 1/s: s is then so small that it is by far stiffer than `stiffness`, the diagonal of
// the machine. Nothing if signals have no solution.
[[nodiscard]] std::optional<linalg::SparseMatrix> calcSlowFeedback(
    const std::vector<system::Kind>& kinds, const linalg::SparseMatrix& K,
    const linalg::SparseMatrix& C, const Eigen::VectorXd& stiffness);

}  // namespace flexloop::solve
