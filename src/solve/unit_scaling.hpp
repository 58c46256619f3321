// Powers of two by which equations and unknowns are multiplied before they are solved together, so that neither the units of
// the model nor the size of the machine decide which pivot is taken (docs/theory/09_time.md, section 9.9).
#pragma once

#include <vector>

#include "linalg/solvers/factored_matrix.hpp"
#include "solve/signal_terms.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// What the unknowns of a part are measured in.
struct PartUnits {
  double motion =
      1.0;  // unit of the unknowns of moves: an acceleration, or a length; those of turns are this over:
  double length = 1.0;
  double mass = 1.0;
};

// By unknown, its part, and the units of all parts.
struct MachineUnits {
  const std::vector<int>& part;
  const std::vector<PartUnits>& units;
};

// For a matrix of the masses of motions, gradients of constraints (whose sizes are `gradients`; see calcGradientSizes), and
// equations of states and signals. Sizes of states and signals follow from those of motions, and are at least `seen`.
void calcUnitScaling(const system::System& system, const MachineUnits& units,
                     const Eigen::VectorXd& gradients, const SignalTerms& terms,
                     const linalg::SparseMatrix& matrix, const Eigen::VectorXd& seen,
                     linalg::MatrixScaling& scaling);

}  // namespace flexloop::solve
