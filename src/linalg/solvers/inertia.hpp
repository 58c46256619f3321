// How many eigenvalues of a symmetric matrix are negative, without finding any: Sylvester's law of inertia counts the
// negative pivots of A = L D Lᵀ.
#pragma once

#include <optional>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

// Of the symmetric part of the matrix. Nothing if the matrix is singular to working precision.
[[nodiscard]] std::optional<int> countNegativeEigenvalues(const SparseMatrix& matrix);

// Whether the determinant of a square matrix is negative. Nothing if it is singular to working precision.
[[nodiscard]] std::optional<bool> isDeterminantNegative(const SparseMatrix& matrix);

// The largest entry of each row.
[[nodiscard]] Eigen::VectorXd rowSizes(const SparseMatrix& matrix);

// Whether |aᵢⱼ − aⱼᵢ| is small beside the rows that both are in: forces of a potential.
[[nodiscard]] bool isSymmetric(const SparseMatrix& matrix);

}  // namespace flexloop::linalg
