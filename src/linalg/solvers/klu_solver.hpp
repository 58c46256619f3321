// KLU: sparse LU with a block triangular form; its refactorisation reuses pivots and pattern.
#pragma once

#include <memory>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

struct KluEstimate {
  double flops = 0.0;
  double fill = 0.0;
};

// The analysed solver, or nothing where the pattern is structurally singular.
std::unique_ptr<SparseSolver> makeKluSolver(const SparseMatrix& pattern, KluEstimate& estimate,
                                            const std::vector<int>& groups);

}  // namespace flexloop::linalg
