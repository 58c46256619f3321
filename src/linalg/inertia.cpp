#include "linalg/inertia.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/mumps_solver.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kScalings = 4;

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

}  // namespace

std::optional<int> countNegativeEigenvalues(const SparseMatrix& matrix) {
  const SparseMatrix transposed = matrix.transpose();
  SparseMatrix A = 0.5 * (matrix + transposed);
  A.makeCompressed();
  if (!A.coeffs().allFinite()) return std::nullopt;
  if (A.rows() == 0) return 0;
  equilibrate(A);
  return countNegativePivots(A);
}

}  // namespace flexloop::linalg
