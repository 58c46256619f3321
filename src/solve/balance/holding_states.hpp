// States that hold at rest: those whose rate depends on nothing that a search for rest can change, such as
// that of an integrator at its limit, or of one that integrates a rate. Any value is one of rest; they keep
// the one that they have (docs/theory/26_rest_of_controllers.md, section 26.2).
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/unknowns.hpp"

namespace flexloop::solve {

// By the entries of K that are not zero, also by way of signals and of other states that hold.
std::vector<int> findHoldingStates(const std::vector<system::Kind>& kinds,
                                   const linalg::SparseMatrix& K);

// Integrals that act on nothing, neither on the machine nor on themselves: what they are at rest is not
// determined, and whether their input is zero there does not matter to the machine.
std::vector<int> findIdleStates(const std::vector<system::Kind>& kinds,
                                const linalg::SparseMatrix& K);

// Puts a one on the diagonal of both, so that the matrix has a solution. Those that hold keep their value in
// it; those that are idle change without effect.
void holdStates(const std::vector<system::Kind>& kinds, linalg::SparseMatrix& matrix);

}  // namespace flexloop::solve
