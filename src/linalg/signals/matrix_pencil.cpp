#include "linalg/signals/matrix_pencil.hpp"

#include <algorithm>
#include <cassert>
#include <random>
#include <stdexcept>

#include "linalg/dense/least_squares.hpp"
#include "linalg/signals/fourier.hpp"
#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kMostSingularValues = 64;
// With two of them, the subspace found is as good as that of the whole decomposition.
constexpr int kPowerSteps = 2;

// H·X, or Hᵀ·X: the transpose of a Hankel matrix is the Hankel matrix with rows and columns of the
// other number.
Eigen::MatrixXd multiply(const Correlator& hankel, const Eigen::MatrixXd& X) {
  const auto count = static_cast<std::size_t>(X.rows());
  Eigen::MatrixXd product(static_cast<Eigen::Index>(hankel.size() - count + 1), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    hankel.calc(X.col(j).data(), count, product.col(j).data());
  }
  return product;
}

// Singular values, descending; the left singular vectors take the place of the square matrix.
std::vector<double> decompose(Eigen::MatrixXd& A) {
  const auto n = static_cast<int>(A.rows());
  std::vector<double> values(static_cast<std::size_t>(n)), work(static_cast<std::size_t>(n));
  const int status = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'O', 'N', n, n, A.data(), n, values.data(),
                                    nullptr, n, nullptr, n, work.data());
  if (status != 0) throw std::runtime_error("the singular values of a record could not be found");
  return values;
}

std::vector<std::complex<double>> calcEigenvalues(Eigen::MatrixXd A) {
  const auto n = static_cast<int>(A.rows());
  Eigen::VectorXd real(n), imag(n);
  const int status = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A.data(), n, real.data(),
                                   imag.data(), nullptr, n, nullptr, n);
  if (status != 0) throw std::runtime_error("the roots of a record could not be found");
  std::vector<std::complex<double>> values;
  for (int i = 0; i < n; ++i) values.emplace_back(real[i], imag[i]);
  return values;
}

// The same numbers on every machine and in every run.
Eigen::MatrixXd makeRandom(Eigen::Index rows, Eigen::Index columns) {
  std::mt19937 generator(1);
  Eigen::MatrixXd random(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      random(i, j) = static_cast<double>(generator()) / std::mt19937::max() - 0.5;
    }
  }
  return random;
}

}  // namespace

MatrixPencil::MatrixPencil(const std::vector<double>& values) {
  assert(values.size() >= 4);
  const auto size = static_cast<Eigen::Index>(values.size());
  // A third: noise moves the roots least (20.4).
  const Eigen::Index columns = std::max<Eigen::Index>(size / 3, 2);
  const Eigen::Index count = std::min<Eigen::Index>(columns, kMostSingularValues);
  const Correlator hankel(values);
  Eigen::MatrixXd Q = orthonormalize(multiply(hankel, makeRandom(columns, count)));
  for (int i = 0; i < kPowerSteps; ++i) {
    Q = orthonormalize(multiply(hankel, orthonormalize(multiply(hankel, Q))));
  }
  // Hᵀ Q = P R, and the left singular vectors of R turn P into those of Hᵀ.
  const Eigen::MatrixXd product = multiply(hankel, Q);
  const Eigen::MatrixXd P = orthonormalize(product);
  Eigen::MatrixXd R = P.transpose() * product;
  singularValues_ = decompose(R);
  rowSpace_ = P * R;
}

int MatrixPencil::mostRoots() const {
  return static_cast<int>(std::min(rowSpace_.cols(), rowSpace_.rows() - 1));
}

std::vector<std::complex<double>> MatrixPencil::calcRoots(int count) const {
  assert(count <= mostRoots());
  if (count == 0) return {};
  // The shift of the row space by one sample has the eigenvalues z (20.14).
  const Eigen::MatrixXd V = rowSpace_.leftCols(count);
  const Eigen::Index rows = V.rows() - 1;
  return calcEigenvalues(solveLeastSquares(V.topRows(rows), V.bottomRows(rows)));
}

}  // namespace flexloop::linalg
