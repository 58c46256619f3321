// In which order the unknowns of a machine are eliminated: minimum degree on the graph of its groups.
// Inside a group the order of the unknowns is kept: a multiplier that comes after the node it acts on
// finds a pivot on the diagonal, where minimum degree on single unknowns would meet zeros and fill the
// factors by pivoting away from them.
//
// Minimum degree must know how wide a group is. A controller that joins the far ends of a chain makes it
// a ring; counting groups, all nodes of a ring look alike, and its factors become twice those of the
// chain. Counting unknowns, the ends go first, and a narrow border of signals goes with them.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

// By position, the unknown. `groups` gives the group of every unknown, from zero on.
std::vector<int> makeEliminationOrder(const SparseMatrix& pattern, const std::vector<int>& groups);

}  // namespace flexloop::linalg
