// Nodes whose unknowns are body twists, treated in a search for equilibrium as those of R³×SO(3)
// are (docs/theory/10_equilibrium.md, section 10.2): they move along straight lines, and the forces on them
// are balanced in ground axes. Where beams are slender, that keeps false forces from being
// compressions.
#pragma once

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// The increment whose retraction makes x + R u, R exp(w) of the frames, with (u; w) of delta.
Eigen::VectorXd makeStraight(const system::System& system, const system::State& from,
                             Eigen::VectorXd delta);

// Adds [0, −f̂; 0, 0] of (10.3) for the unbalanced forces f of each node. Entries that the matrix does
// not have are left out; all of them vanish at the equilibrium.
void addTurnOfForces(const system::System& system, const system::State& state,
                     const Eigen::VectorXd& unbalance, linalg::SparseMatrix& K);

}  // namespace flexloop::solve
