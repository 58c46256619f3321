// Whether a small symmetric matrix is positive definite.
#pragma once

#include <Eigen/Core>

namespace flexloop::math {

/// Whether A + slack diag(A) has a Cholesky factorisation. Only the lower triangle of A is read.
/// A positive slack lets semidefinite matrices pass in spite of rounding.
bool isPositiveDefinite(const Eigen::Ref<const Eigen::MatrixXd>& A, double slack = 0.0);

}  // namespace flexloop::math
