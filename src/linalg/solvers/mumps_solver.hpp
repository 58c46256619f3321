// MUMPS (sequential): multifrontal LU for patterns with much fill, such as plates and solids.
#pragma once

#include <memory>
#include <optional>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

std::unique_ptr<SparseSolver> makeMumpsSolver(const SparseMatrix& pattern);

// Of L D Lᵀ of a symmetric matrix, of which the lower triangle is read; nothing if a pivot vanishes.
std::optional<int> countNegativePivots(const SparseMatrix& matrix);

}  // namespace flexloop::linalg
