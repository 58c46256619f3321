// Schur forms and eigenvectors of small dense matrices, by LAPACK.
#pragma once

#include <complex>

#include <Eigen/Core>

namespace flexloop::linalg {

// A = Q T Qᴴ with the eigenvalues on the diagonal of T by falling modulus. A real matrix has a real form
// with a block of two rows for a conjugate pair.
template <typename Scalar>
struct SortedSchur {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> T, Q;
};

SortedSchur<double> calcSortedSchur(const Eigen::MatrixXd& A);
SortedSchur<std::complex<double>> calcSortedSchur(const Eigen::MatrixXcd& A);

struct SmallEigensystem {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // by column
};

// A root that has several independent vectors gets orthonormal ones, where rounding alone would leave
// them nearly parallel.
SmallEigensystem calcEigensystem(const Eigen::MatrixXd& A);
SmallEigensystem calcEigensystem(const Eigen::MatrixXcd& A);

}  // namespace flexloop::linalg
