// States that hold at rest: those whose rate depends on nothing that a search for rest can change, such as
// that of an integrator at its limit, or of one that integrates a rate. Any value is one of rest; they keep
// the one that they have (docs/theory/26_rest_of_controllers.md, section 26.2).
#pragma once

#include <vector>

#include "linalg/sparse_solver.hpp"
#include "system/unknowns.hpp"

namespace flexloop::solve {

// By the entries of K that are not zero, also by way of signals.
std::vector<int> findHoldingStates(const std::vector<system::Kind>& kinds,
                                   const linalg::SparseMatrix& K);

// Puts a one on the diagonal of each, so that the matrix has a solution in which it keeps its value.
void holdStates(const std::vector<system::Kind>& kinds, linalg::SparseMatrix& matrix);

}  // namespace flexloop::solve
