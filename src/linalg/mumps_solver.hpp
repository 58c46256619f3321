// MUMPS (sequential): multifrontal LU for patterns with much fill, such as plates and solids.
#pragma once

#include <memory>

#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

std::unique_ptr<SparseSolver> makeMumpsSolver(const SparseMatrix& pattern);

}  // namespace flexloop::linalg
