// Products of dense matrices with A = Aᵀ or A = −Aᵀ. Half of the matrix is read, once: a block of neighbouring columns serves
// as columns and, below the diagonal, as rows.
#pragma once

#include <Eigen/Core>

namespace flexloop::mechanics {

// y = A x, A = Aᵀ.
void multiplySymmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& x,
                       Eigen::Ref<Eigen::VectorXd> y);

// y = A x and w = A u, A = −Aᵀ: the matrix is the square below the first rows of `A`.
void multiplySkew(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                  Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::VectorXd> w);

}  // namespace flexloop::mechanics
