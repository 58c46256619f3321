#include "linalg/solvers/inertia.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/SparseLU>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/solvers/mumps_solver.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kScalings = 4;
constexpr int kFewRows = 60;
constexpr double kSymmetric = 1e-6;  // of the largest entries of row and column

// D A D with the largest entry of every row near one; a congruence, so no sign changes.
void equilibrate(SparseMatrix& A) {
  for (int pass = 0; pass < kScalings; ++pass) {
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(A.cols());
    for (int column = 0; column < A.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
        largest[column] = std::max(largest[column], std::abs(it.value()));
      }
    }
    const auto scale = [&](Eigen::Index u) {
      return largest[u] > 0.0 ? 1.0 / std::sqrt(largest[u]) : 1.0;
    };
    for (int column = 0; column < A.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
        it.valueRef() *= scale(column) * scale(it.row());
      }
    }
  }
}

// Of small matrices, without the library of sparse factorisations, whose loading takes longer.
std::optional<int> countByEigenvalues(const SparseMatrix& A) {
  const auto found = findSymmetricEigensystem(Eigen::MatrixXd(A));
  if (!found) return std::nullopt;
  const Eigen::VectorXd& values = found->values;
  const double rounding = static_cast<double>(values.size()) *
                          std::numeric_limits<double>::epsilon() * values.cwiseAbs().maxCoeff();
  if (values.cwiseAbs().minCoeff() <= rounding) return std::nullopt;
  return static_cast<int>((values.array() < 0.0).count());
}

}  // namespace

std::optional<int> countNegativeEigenvalues(const SparseMatrix& matrix) {
  const SparseMatrix transposed = matrix.transpose();
  SparseMatrix A = 0.5 * (matrix + transposed);
  A.makeCompressed();
  if (!A.coeffs().allFinite()) return std::nullopt;
  if (A.rows() == 0) return 0;
  equilibrate(A);
  return A.rows() <= kFewRows ? countByEigenvalues(A) : countNegativePivots(A);
}

std::optional<bool> isDeterminantNegative(const SparseMatrix& matrix) {
  if (!matrix.coeffs().allFinite()) return std::nullopt;
  Eigen::SparseLU<SparseMatrix> factors;
  SparseMatrix A = matrix;
  A.makeCompressed();
  factors.compute(A);
  if (factors.info() != Eigen::Success) return std::nullopt;
  return factors.signDeterminant() < 0.0;
}

Eigen::VectorXd rowSizes(const SparseMatrix& A) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(A.rows());
  for (int column = 0; column < A.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
    }
  }
  return largest;
}

bool isSymmetric(const SparseMatrix& A) {
  const SparseMatrix transposed = A.transpose();
  const Eigen::VectorXd largest = rowSizes(A).cwiseMax(rowSizes(transposed));
  const SparseMatrix difference = A - transposed;
  for (int column = 0; column < difference.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(difference, column); it; ++it) {
      const double allowed = kSymmetric * std::sqrt(largest[it.row()] * largest[column]);
      if (std::abs(it.value()) > allowed) return false;
    }
  }
  return true;
}

}  // namespace flexloop::linalg
