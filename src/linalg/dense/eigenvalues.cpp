#include "linalg/dense/eigenvalues.hpp"

#include <algorithm>
#include <limits>

#include <Eigen/Eigenvalues>

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;

std::optional<SymmetricEigensystem> findSymmetricEigensystem(const MatrixXd& A) {
  if (A.rows() == 0) return SymmetricEigensystem{Eigen::VectorXd(0), MatrixXd(0, 0)};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return SymmetricEigensystem{solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<double> findLeastEigenvalue(const MatrixXcd& A) {
  // As a real matrix of twice the size it has each of its eigenvalues twice.
  const Eigen::Index n = A.rows();
  MatrixXd twice(2 * n, 2 * n);
  twice << A.real(), -A.imag(), A.imag(), A.real();
  const auto found = findSymmetricEigensystem(twice);
  if (!found || n == 0) return std::nullopt;
  return found->values[0];
}

Eigen::VectorXcd findEigenvalues(MatrixXcd A) {
  const int n = static_cast<int>(A.rows());
  Eigen::VectorXcd values(n);
  const int status = LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A.data(), std::max(n, 1),
                                   values.data(), nullptr, 1, nullptr, 1);
  if (status != 0) values.setConstant(std::numeric_limits<double>::quiet_NaN());
  return values;
}

Eigen::VectorXcd findEigenvaluesOfReal(MatrixXd A) {
  const int n = static_cast<int>(A.rows());
  Eigen::VectorXd re(n), im(n);
  const int status = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A.data(), std::max(n, 1),
                                   re.data(), im.data(), nullptr, 1, nullptr, 1);
  Eigen::VectorXcd values(n);
  values.real() = re;
  values.imag() = im;
  if (status != 0) values.setConstant(std::numeric_limits<double>::quiet_NaN());
  return values;
}

}  // namespace flexloop::linalg
