// What a linear model cannot show of blocks with branches: one that is exactly on a kink has two slopes,
// and a staircase counts as its mean slope (docs/theory/15_discontinuous_blocks.md, section 15.8).
#pragma once

#include <string>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

// Puts the mean slopes of staircases into the stiffness, and says so for each.
void takeMeanSlopes(const system::System& system, linalg::SparseMatrix& K,
                    std::vector<std::string>& notes);

// Names the blocks that are exactly on a kink or a jump, with the slopes on both sides; K is that of the
// state.
std::vector<std::string> describeKinks(system::Assembler& assembler, const system::State& state,
                                       const linalg::SparseMatrix& K);

}  // namespace flexloop::analysis
