#include "linalg/roots/hessenberg.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;

HessenbergSolver::HessenbergSolver(const Eigen::MatrixXd& A) : H_(A) {
  const auto n = static_cast<int>(A.rows());
  scale_.setOnes(n);
  Q_.setIdentity(n, n);
  if (n == 0) return;
  // Balanced without permutations.
  int low = 0, high = 0;
  std::vector<double> tau(n);
  LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, H_.data(), n, &low, &high, scale_.data());
  if (LAPACKE_dgehrd(LAPACK_COL_MAJOR, n, 1, n, H_.data(), n, tau.data()) != 0) {
    throw std::runtime_error("a map from sample to sample has no Hessenberg form");
  }
  Q_ = H_;
  LAPACKE_dorghr(LAPACK_COL_MAJOR, n, 1, n, Q_.data(), n, tau.data());
  for (Index j = 0; j + 2 < n; ++j) H_.col(j).tail(n - j - 2).setZero();
}

// Gaussian elimination of the one entry below each diagonal, with the larger of two pivots.
MatrixXcd HessenbergSolver::solve(Complex z, const MatrixXcd& b) const {
  const Index n = H_.rows();
  // By rows, so that each step goes through memory as it lies.
  Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> R = -H_.cast<Complex>();
  R.diagonal().array() += z;
  MatrixXcd x = Q_.transpose() * (scale_.cwiseInverse().asDiagonal() * b);
  for (Index k = 0; k + 1 < n; ++k) {
    if (std::norm(R(k + 1, k)) > std::norm(R(k, k))) {
      R.row(k).tail(n - k).swap(R.row(k + 1).tail(n - k));
      x.row(k).swap(x.row(k + 1));
    }
    if (R(k + 1, k) == 0.0) continue;
    const Complex factor = R(k + 1, k) / R(k, k);
    R.row(k + 1).tail(n - k) -= factor * R.row(k).tail(n - k);
    x.row(k + 1) -= factor * x.row(k);
  }
  R.triangularView<Eigen::Upper>().solveInPlace(x);
  return scale_.asDiagonal() * (Q_ * x);
}

}  // namespace flexloop::linalg
