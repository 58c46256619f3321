// Least squares and orthonormal bases of dense matrices.
#pragma once

#include <Eigen/Core>

namespace flexloop::linalg {

// Of X with independent columns, X = Q R: the columns of Q, and the triangle R.
Eigen::MatrixXd orthonormalize(const Eigen::MatrixXd& X);
Eigen::MatrixXd findTriangle(const Eigen::MatrixXd& X);

// The x for which A x is nearest to b, with independent columns of A.
Eigen::MatrixXd solveLeastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
// With any A the smallest of them. What is below `share` of its largest part counts as zero; a share of zero stands for
// rounding.
Eigen::VectorXd solveSmallest(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                              double share = 0.0);

}  // namespace flexloop::linalg
