#include "linalg/roots/quadratic_pencil.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace flexloop::linalg {
namespace {

// In one pass over the sorted columns: sums of sparse expressions take several times as long as a factorisation does.
template <typename Scalar>
Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> sum(const QuadraticPencil& pencil, Scalar s) {
  const int n = pencil.size();
  const std::array<const SparseMatrix*, 3> terms{&pencil.K, &pencil.C, &pencil.M};
  const std::array<Scalar, 3> factors{Scalar(1.0), s, s * s};
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> matrix(n, n);
  matrix.reserve(pencil.K.nonZeros() + pencil.C.nonZeros() + pencil.M.nonZeros());
  for (int column = 0; column < n; ++column) {
    matrix.startVec(column);
    std::array<SparseMatrix::InnerIterator, 3> entries{
        SparseMatrix::InnerIterator(*terms[0], column),
        SparseMatrix::InnerIterator(*terms[1], column),
        SparseMatrix::InnerIterator(*terms[2], column)};
    while (true) {
      int row = n;
      for (const auto& it : entries) {
        if (it) row = std::min(row, static_cast<int>(it.row()));
      }
      if (row == n) break;
      Scalar value(0.0);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (!entries[k] || entries[k].row() != row) continue;
        value += factors[k] * entries[k].value();
        ++entries[k];
      }
      matrix.insertBackByOuterInner(column, row) = value;
    }
  }
  matrix.finalize();
  return matrix;
}

// The sum of all |a_ij z_j|.
double sumOfTerms(const SparseMatrix& matrix, const Eigen::VectorXcd& z) {
  double sum = 0.0;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    double length = 0.0;
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) length += std::abs(it.value());
    sum += length * std::abs(z[column]);
  }
  return sum;
}

// A motion that nothing resists has no terms but those of its round-off, whose ratios say nothing: what rounding
// makes of the largest entry of P(s) counts as a term too.
double calcRoundOff(const QuadraticPencil& pencil, std::complex<double> s,
                    const Eigen::VectorXcd& z) {
  const auto largest = [](const SparseMatrix& matrix) {
    return matrix.nonZeros() > 0 ? matrix.coeffs().abs().maxCoeff() : 0.0;
  };
  const double size =
      largest(pencil.K) + std::abs(s) * largest(pencil.C) + std::norm(s) * largest(pencil.M);
  return std::numeric_limits<double>::epsilon() * size * z.lpNorm<1>();
}

}  // namespace

double calcOneNorm(const SparseMatrix& matrix) {
  double largest = 0.0;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    double length = 0.0;
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) length += std::abs(it.value());
    largest = std::max(largest, length);
  }
  return largest;
}

double calcScale(const QuadraticPencil& pencil, std::complex<double> s, const Eigen::VectorXcd& z) {
  return sumOfTerms(pencil.K, z) + std::abs(s) * sumOfTerms(pencil.C, z) +
         std::norm(s) * sumOfTerms(pencil.M, z) + calcRoundOff(pencil, s, z);
}

double calcResidual(const QuadraticPencil& pencil, std::complex<double> s,
                    const Eigen::VectorXcd& z) {
  const Eigen::VectorXcd rest =
      pencil.K * z + s * (pencil.C * z + s * (pencil.M * z).eval()).eval();
  return rest.lpNorm<1>() / std::max(calcScale(pencil, s, z), std::numeric_limits<double>::min());
}

SparseMatrixC evaluate(const QuadraticPencil& pencil, std::complex<double> s) {
  return sum(pencil, s);
}

SparseMatrix evaluateReal(const QuadraticPencil& pencil, double s) {
  return sum(pencil, s);
}

}  // namespace flexloop::linalg
