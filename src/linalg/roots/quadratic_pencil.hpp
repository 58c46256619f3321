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

#include "linalg/solvers/sparse_solver.hpp"

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
  // How far the rounding of the matrices may have moved the root; see calcUncertainty. Negative: not known.
  double uncertainty = -1.0;
};

// The largest sum of moduli in a column.
double calcOneNorm(const SparseMatrix& matrix);

// The sum of the absolute values of all terms in P(s) z.
double calcScale(const QuadraticPencil& pencil, std::complex<double> s, const Eigen::VectorXcd& z);

// The sum of |P(s) z| by the sum of the absolute values of all terms in it: the share of the terms that does
// not cancel. Norms of the matrices instead would let a stiff part of a machine hide the errors of a soft one.
double calcResidual(const QuadraticPencil& pencil, std::complex<double> s,
                    const Eigen::VectorXcd& z);

// P(s). Its pattern is the union of those of K, C and M, whatever s is.
SparseMatrixC evaluate(const QuadraticPencil& pencil, std::complex<double> s);
// The same for a real s.
SparseMatrix evaluateReal(const QuadraticPencil& pencil, double s);

}  // namespace flexloop::linalg
