// How large the terms of linear equations A x = b are, and what becomes of them in the solution:
//
//     n_i = Σ_j |A_ij| |x_j|,   s = A⁻¹ (±n_i)                                                   (9.23)
//
// An error of a share ε in every term changes x_i by about ε s_i. So s tells how small a correction of an unknown can become that
// is zero, because its terms cancel, or that follows from such a one, whatever the units and gains (docs/theory/09_time.md).
#pragma once

#include <vector>

#include "linalg/sparse_solver.hpp"

namespace flexloop::solve {

// n, for a matrix with the pattern and the values given.
void calcTermSizes(const linalg::SparseMatrix& pattern, const std::vector<double>& values,
                   const Eigen::VectorXd& x, Eigen::VectorXd& n);
// Signs that change at random but are the same each time, so that errors do not cancel on their way through A⁻¹.
void giveSigns(Eigen::VectorXd& n);

}  // namespace flexloop::solve
