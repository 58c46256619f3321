// Units of the unknowns and equations of a balance, in which pivots and ranks do not depend on those of the machine
// (docs/theory/10_equilibrium.md, section 10.6).
#pragma once

#include <vector>

#include "linalg/solvers/factored_matrix.hpp"
#include "system/unknowns.hpp"

namespace flexloop::solve {

// Factors d of rows and columns, powers of two, for which d A d has the given diagonal of motions near one, and entries of
// constraints up to one. `resistance` by unknown: a stiffness or a mass.
[[nodiscard]] Eigen::VectorXd findMechanicalUnits(const std::vector<system::Kind>& kinds,
                                                  const linalg::SparseMatrix& A,
                                                  const Eigen::VectorXd& resistance);

// The same, and for states and signals: each is as large as what it measures makes it, or as what it does is one.
[[nodiscard]] linalg::MatrixScaling findBalanceUnits(const std::vector<system::Kind>& kinds,
                                                     const linalg::SparseMatrix& A,
                                                     const Eigen::VectorXd& resistance);

[[nodiscard]] linalg::SparseMatrix inUnits(const linalg::MatrixScaling& units,
                                           const linalg::SparseMatrix& A);

}  // namespace flexloop::solve
