// P A = L U of a dense square matrix. Eigen's decompositions take long to compile; here they are compiled once.
#pragma once

#include <complex>
#include <memory>

#include <Eigen/Core>

namespace flexloop::linalg {

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// Of a singular matrix the solutions are infinite or not a number.
template <class Scalar>
class DenseLu {
 public:
  explicit DenseLu(const Dense<Scalar>& A);

  Dense<Scalar> solve(const Dense<Scalar>& right) const;
  Dense<Scalar> solveTransposed(const Dense<Scalar>& right) const;
  Dense<Scalar> inverse() const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

extern template class DenseLu<double>;
extern template class DenseLu<std::complex<double>>;

// A x = b with new factors.
Eigen::MatrixXd solveDense(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
Eigen::MatrixXcd solveDense(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& b);

}  // namespace flexloop::linalg
