#include "linalg/quadratic_pencil.hpp"

#include <algorithm>
#include <limits>

namespace flexloop::linalg {
namespace {

template <typename Scalar>
Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> sum(const QuadraticPencil& pencil, Scalar s) {
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int> matrix =
      pencil.K.cast<Scalar>() + s * pencil.C.cast<Scalar>();
  matrix = (matrix + (s * s) * pencil.M.cast<Scalar>()).eval();
  matrix.makeCompressed();
  return matrix;
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

double calcResidual(const QuadraticPencil& pencil, std::complex<double> s,
                    const Eigen::VectorXcd& z) {
  const Eigen::VectorXcd rest =
      pencil.K * z + s * (pencil.C * z + s * (pencil.M * z).eval()).eval();
  const double size = calcOneNorm(pencil.K) + std::abs(s) * calcOneNorm(pencil.C) +
                      std::norm(s) * calcOneNorm(pencil.M);
  const double scale = size * z.lpNorm<1>();
  return rest.lpNorm<1>() / std::max(scale, std::numeric_limits<double>::min());
}

SparseMatrixC evaluate(const QuadraticPencil& pencil, std::complex<double> s) {
  return sum(pencil, s);
}

SparseMatrix evaluateReal(const QuadraticPencil& pencil, double s) {
  return sum(pencil, s);
}

}  // namespace flexloop::linalg
