// The signs of a symmetric matrix whose smallest eigenvalues may be zero but for rounding, without a bound that somebody has
// chosen (docs/theory/10_equilibrium.md, section 10.8).
//
// With a few unknowns p that hold all that may be zero, and X = [1; −A_rr⁻¹ A_rp] for the others r,
//
//     inertia(A) = inertia(A_rr) + inertia(S),     S = Xᵀ A X,
//
// and what rounding has done to c·S c is what it has done to x·A x with x = X c.
#pragma once

#include <optional>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

struct SignCount {
  int negative = 0;
  Eigen::MatrixXd neutral;  // columns x with A x = 0 up to rounding
};

// Of a symmetric matrix whose rows are scaled to about one. `rounded` are the same matrix, calculated from data that differ by
// roundings. `isConstraint` marks unknowns without a diagonal of their own, which are not neutral by themselves. Nothing if
// there are more than a few neutral directions besides unknowns without any entry.
[[nodiscard]] std::optional<SignCount> countSigns(const SparseMatrix& A,
                                                  const std::vector<SparseMatrix>& rounded,
                                                  const std::vector<bool>& isConstraint,
                                                  const std::vector<int>& groups);

// As many rows of X as it has columns, those in which the columns differ most.
[[nodiscard]] std::vector<int> choosePivots(const Eigen::MatrixXd& X);

}  // namespace flexloop::linalg
