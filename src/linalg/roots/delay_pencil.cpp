#include "linalg/roots/delay_pencil.hpp"

#include <limits>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

void append(const SparseMatrix& matrix, Triplets& entries) {
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
    }
  }
}

SparseMatrix assemble(int size, const Triplets& entries) {
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

double signOf(int k) {
  return k % 2 == 0 ? 1.0 : -1.0;
}

// (25.3): the states of one delay, from `first` on. Rows are divided by their number 2k + 1.
void addStates(const DelayTerm& term, int order, int first, Triplets& K, Triplets& C) {
  for (int k = 0; k < order; ++k) {
    C.emplace_back(first + k, first + k, term.delay / (2.0 * k + 1.0));
    for (int j = 0; j < order; ++j) {
      K.emplace_back(first + k, first + j, j > k ? 1.0 : signOf(k + j));
    }
    K.emplace_back(first + k, term.column, -signOf(k));
    K.emplace_back(term.row, first + k, term.factor);
  }
}

}  // namespace

SparseMatrixC evaluate(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s) {
  SparseMatrixC matrix = evaluate(pencil, s);
  if (delays.empty()) return matrix;
  std::vector<Eigen::Triplet<Complex, int>> entries;
  for (const DelayTerm& term : delays) {
    entries.emplace_back(term.row, term.column, term.factor * std::exp(-s * term.delay));
  }
  SparseMatrixC delayed(matrix.rows(), matrix.cols());
  delayed.setFromTriplets(entries.begin(), entries.end());
  matrix = (matrix + delayed).eval();
  matrix.makeCompressed();
  return matrix;
}

Eigen::VectorXcd apply(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s,
                       const Eigen::VectorXcd& z) {
  Eigen::VectorXcd sum = pencil.K * z + s * (pencil.C * z) + s * s * (pencil.M * z);
  for (const DelayTerm& term : delays) {
    sum[term.row] += term.factor * std::exp(-s * term.delay) * z[term.column];
  }
  return sum;
}

Eigen::VectorXcd applyDerivative(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s,
                                 const Eigen::VectorXcd& z) {
  Eigen::VectorXcd sum = pencil.C * z + 2.0 * s * (pencil.M * z);
  for (const DelayTerm& term : delays) {
    sum[term.row] -= term.delay * term.factor * std::exp(-s * term.delay) * z[term.column];
  }
  return sum;
}

double calcResidual(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s,
                    const Eigen::VectorXcd& z) {
  double scale = calcScale(pencil, s, z);
  for (const DelayTerm& term : delays) {
    scale += std::abs(term.factor * std::exp(-s * term.delay) * z[term.column]);
  }
  return apply(pencil, delays, s, z).lpNorm<1>() /
         std::max(scale, std::numeric_limits<double>::min());
}

QuadraticPencil approximateDelays(const QuadraticPencil& pencil, const DelayTerms& delays,
                                  const std::vector<int>& orders) {
  Triplets K, C, M;
  append(pencil.K, K);
  append(pencil.C, C);
  append(pencil.M, M);
  int size = pencil.size();
  for (std::size_t j = 0; j < delays.size(); ++j) {
    addStates(delays[j], orders[j], size, K, C);
    size += orders[j];
  }
  return {assemble(size, K), assemble(size, C), assemble(size, M)};
}

}  // namespace flexloop::linalg
