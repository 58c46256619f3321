#include "linalg/roots/sorted_schur.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <Eigen/LU>

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

// Roots this close, relative to their modulus, may be one multiple root.
constexpr double kSameRoot = 1e-9;
// Singular values below this, relative to the root, belong to its eigenvectors.
constexpr double kNullVector = 1e-8;

void require(int status) {
  if (status != 0) throw std::runtime_error("the eigenvalues of a small matrix could not be found");
}

// The Schur form as LAPACK finds it, unsorted.
SortedSchur<double> calcSchur(MatrixXd A) {
  const int n = static_cast<int>(A.rows());
  MatrixXd Q(n, n);
  Eigen::VectorXd re(n), im(n);
  int sorted = 0;
  require(LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n, A.data(), n, &sorted, re.data(),
                        im.data(), Q.data(), n));
  return {std::move(A), std::move(Q)};
}

SortedSchur<Complex> calcSchur(MatrixXcd A) {
  const int n = static_cast<int>(A.rows());
  MatrixXcd Q(n, n);
  Eigen::VectorXcd values(n);
  int sorted = 0;
  require(LAPACKE_zgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n, A.data(), n, &sorted, values.data(),
                        Q.data(), n));
  return {std::move(A), std::move(Q)};
}

// LAPACK leaves two blocks in their order where they are too close to be separated: no failure here.
void move(SortedSchur<double>& schur, int from, int to) {
  const int n = static_cast<int>(schur.T.rows());
  int first = from + 1, last = to + 1;
  LAPACKE_dtrexc(LAPACK_COL_MAJOR, 'V', n, schur.T.data(), n, schur.Q.data(), n, &first, &last);
}

void move(SortedSchur<Complex>& schur, int from, int to) {
  const int n = static_cast<int>(schur.T.rows());
  LAPACKE_ztrexc(LAPACK_COL_MAJOR, 'V', n, schur.T.data(), n, schur.Q.data(), n, from + 1, to + 1);
}

template <typename Scalar>
int blockWidth(const SortedSchur<Scalar>& schur, int row) {
  return row + 1 < schur.T.rows() && schur.T(row + 1, row) != Scalar(0) ? 2 : 1;
}

template <typename Scalar>
double blockModulus(const SortedSchur<Scalar>& schur, int row) {
  if (blockWidth(schur, row) == 1) return std::abs(schur.T(row, row));
  return std::sqrt(std::abs(schur.T.template block<2, 2>(row, row).determinant()));
}

template <typename Scalar>
SortedSchur<Scalar> sort(SortedSchur<Scalar> schur) {
  const int n = static_cast<int>(schur.T.rows());
  for (int row = 0; row < n; row += blockWidth(schur, row)) {
    int largest = row;
    for (int other = row; other < n; other += blockWidth(schur, other)) {
      if (blockModulus(schur, other) > blockModulus(schur, largest)) largest = other;
    }
    if (largest != row) move(schur, largest, row);
  }
  return schur;
}

// Orthonormal vectors for the members of a multiple root, if there are enough of them.
void separate(const MatrixXcd& A, const std::vector<int>& members, SmallEigensystem& system) {
  const int n = static_cast<int>(A.rows()), count = static_cast<int>(members.size());
  const Complex root = system.values[members.front()];
  MatrixXcd shifted = A, adjoint(n, n);
  shifted.diagonal().array() -= root;
  Eigen::VectorXd singular(n), rest(n);
  MatrixXcd unused(1, 1);
  require(LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'A', n, n, shifted.data(), n, singular.data(),
                         unused.data(), 1, adjoint.data(), n, rest.data()));
  if (singular[n - count] > kNullVector * std::abs(root)) return;
  for (int k = 0; k < count; ++k) {
    system.vectors.col(members[k]) = adjoint.row(n - count + k).adjoint();
  }
}

void separateMultiples(const MatrixXcd& A, SmallEigensystem& system) {
  const int n = static_cast<int>(A.rows());
  std::vector<bool> done(n, false);
  for (int i = 0; i < n; ++i) {
    std::vector<int> members;
    for (int j = i; j < n; ++j) {
      const bool same =
          std::abs(system.values[j] - system.values[i]) <= kSameRoot * std::abs(system.values[i]);
      if (!done[j] && same) members.push_back(j);
    }
    for (const int j : members) done[j] = true;
    if (members.size() > 1) separate(A, members, system);
  }
}

}  // namespace

SortedSchur<double> calcSortedSchur(const MatrixXd& A) {
  return sort(calcSchur(A));
}

SortedSchur<Complex> calcSortedSchur(const MatrixXcd& A) {
  return sort(calcSchur(A));
}

SmallEigensystem calcEigensystem(const MatrixXd& A) {
  const int n = static_cast<int>(A.rows());
  MatrixXd work = A, packed(n, n);
  Eigen::VectorXd re(n), im(n);
  require(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, work.data(), n, re.data(), im.data(),
                        nullptr, n, packed.data(), n));
  SmallEigensystem system{Eigen::VectorXcd(n), MatrixXcd(n, n)};
  for (int j = 0; j < n; ++j) {
    system.values[j] = {re[j], im[j]};
    system.vectors.col(j) = packed.col(j).cast<Complex>();
    // A pair keeps the real part of its vector in the first column and the imaginary in the second.
    if (im[j] > 0.0) system.vectors.col(j) += Complex(0.0, 1.0) * packed.col(j + 1);
    if (im[j] < 0.0) system.vectors.col(j) = system.vectors.col(j - 1).conjugate();
  }
  separateMultiples(A.cast<Complex>(), system);
  return system;
}

SmallEigensystem calcEigensystem(const MatrixXcd& A) {
  const int n = static_cast<int>(A.rows());
  MatrixXcd work = A;
  SmallEigensystem system{Eigen::VectorXcd(n), MatrixXcd(n, n)};
  require(LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', 'V', n, work.data(), n, system.values.data(),
                        nullptr, n, system.vectors.data(), n));
  separateMultiples(A, system);
  return system;
}

}  // namespace flexloop::linalg
