// Unknowns that keep their values while others are solved for.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::solve {

// Makes rows and columns of the unknowns those of one, times the size of their diagonal.
void fixUnknowns(const std::vector<int>& unknowns, linalg::SparseMatrix& A);

}  // namespace flexloop::solve
