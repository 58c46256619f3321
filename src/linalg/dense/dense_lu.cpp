#include "linalg/dense/dense_lu.hpp"

#include <Eigen/LU>

namespace flexloop::linalg {

template <class Scalar>
struct DenseLu<Scalar>::Factors {
  Eigen::PartialPivLU<Dense<Scalar>> lu;
};

template <class Scalar>
DenseLu<Scalar>::DenseLu(const Dense<Scalar>& A)
    : factors_(std::make_shared<Factors>(Factors{Eigen::PartialPivLU<Dense<Scalar>>(A)})) {}

template <class Scalar>
Dense<Scalar> DenseLu<Scalar>::solve(const Dense<Scalar>& right) const {
  return factors_->lu.solve(right);
}

template <class Scalar>
Dense<Scalar> DenseLu<Scalar>::solveTransposed(const Dense<Scalar>& right) const {
  return factors_->lu.transpose().solve(right);
}

template <class Scalar>
Dense<Scalar> DenseLu<Scalar>::inverse() const {
  const Eigen::Index n = factors_->lu.rows();
  return solve(Dense<Scalar>::Identity(n, n));
}

template class DenseLu<double>;
template class DenseLu<std::complex<double>>;

Eigen::MatrixXd solveDense(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b) {
  return DenseLu<double>(A).solve(b);
}

Eigen::MatrixXcd solveDense(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& b) {
  return DenseLu<std::complex<double>>(A).solve(b);
}

}  // namespace flexloop::linalg
