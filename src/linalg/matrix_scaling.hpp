// Units in which a matrix of an iteration is factorised: Â = R A S, with R and S diagonal.
//
// Its rows are newtons, newton metres, metres per second squared and volts. A pivot is chosen as the largest of a column, or as one that
// is not much smaller, so without R the units of the equations would choose it, and in other units than the usual ones rounding is
// amplified without limit. R and S make the entries of the diagonal one. The share of each that goes to its row or to its column
// is half for motions, which act on each other; for signals with gains above one it is the one for which the largest other entries of
// both are alike (Osborne's balancing). Constraints have no such entry: their largest is made one, in the row and in the column.
// All factors are powers of two, so that nothing is rounded.
#pragma once

#include <vector>

#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

struct MatrixScaling {
  Eigen::ArrayXd rows, columns;  // the diagonals of R and S
};

// `constraints`: unknowns whose entry of the diagonal does not count; empty: none.
MatrixScaling findMatrixScaling(const SparseMatrix& matrix, const std::vector<bool>& constraints);

}  // namespace flexloop::linalg
