// What motions are across joints, B x, with the gradients that are in the matrix of a step (9.4).
#pragma once

#include <vector>

#include <Eigen/Core>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::solve {

// In the rows of multipliers; zero in all others. `values` are those of the pattern.
template <class IsMotion, class IsMultiplier>
Eigen::VectorXd calcAcross(const linalg::SparseMatrix& pattern, const std::vector<double>& values,
                           const Eigen::VectorXd& x, IsMotion isMotion, IsMultiplier isMultiplier) {
  Eigen::VectorXd across = Eigen::VectorXd::Zero(x.size());
  for (int column = 0; column < pattern.cols(); ++column) {
    if (!isMotion(column)) continue;
    for (int k = pattern.outerIndexPtr()[column]; k < pattern.outerIndexPtr()[column + 1]; ++k) {
      const int row = pattern.innerIndexPtr()[k];
      if (isMultiplier(row)) across[row] += values[k] * x[column];
    }
  }
  return across;
}

}  // namespace flexloop::solve
