// The order in which the unknowns of a large symmetric matrix are eliminated: nested dissection by METIS.
//
// Unknowns with the same neighbours, such as the three displacements of a node, are one vertex of the graph, of their
// weight; for solids this takes a tenth of the time, and the order is no worse. Unknowns with a zero on the diagonal, such as
// multipliers and what only they hold, go last: by then elimination has filled their diagonals, and pivots need not be
// delayed.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

// By unknown, its position. Only the lower triangle is read.
std::vector<int> makeNestedDissection(const SparseMatrix& lower);

}  // namespace flexloop::linalg
