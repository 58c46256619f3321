// The quadratic pencil of a linearised machine (docs/theory/18),
//
//   P(s) = K + s C + s² M,      P(s) z = 0,
//
// real, sparse and unsymmetric. Multipliers and signals leave many zero rows and columns in C and M, so
// that infinite roots abound; only finite ones mean something.
#pragma once

#include <complex>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

using SparseMatrixC = Eigen::SparseMatrix<std::complex<double>, Eigen::ColMajor, int>;

struct QuadraticPencil {
  SparseMatrix K, C, M;  // square, all of one size

  int size() const { return static_cast<int>(K.rows()); }
};

struct Eigenpair {
  std::complex<double> value;
  Eigen::VectorXcd vector;
  double residual = 0.0;  // calcResidual of the two above
};

// The largest sum of moduli in a column.
double calcOneNorm(const SparseMatrix& matrix);

// |P(s) z| / ((|K| + |s||C| + |s|²|M|) |z|) in 1-norms: the relative change of the matrices that would
// make the pair exact, within a factor that does not grow with their size.
double calcResidual(const QuadraticPencil& pencil, std::complex<double> s,
                    const Eigen::VectorXcd& z);

// P(s). Its pattern is the union of those of K, C and M, whatever s is.
SparseMatrixC evaluate(const QuadraticPencil& pencil, std::complex<double> s);
// The same for a real s.
SparseMatrix evaluateReal(const QuadraticPencil& pencil, double s);

}  // namespace flexloop::linalg
