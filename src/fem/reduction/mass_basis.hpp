// Columns that are orthonormal in the inner product of a mass matrix, taken in one after the other; what depends on earlier ones
// is left out.
#pragma once

#include <Eigen/Core>

#include "linalg/symmetric/symmetric_factors.hpp"

namespace flexloop::fem {

class MassBasis {
 public:
  explicit MassBasis(const linalg::SparseMatrix& M) : M_(M), Q_(M.rows(), 0) {}

  // A column of which less than kDependent of `sizes`, its length before anything was taken from it, is new, is dropped. The
  // one with the largest new share comes first, unless the order is to be kept. Returns how many were dropped.
  int add(Eigen::MatrixXd X, const Eigen::VectorXd& sizes, bool inOrder);
  const Eigen::MatrixXd& columns() const { return Q_; }

  // Columns are computed to 1e-11 or so of their length; a share below this says nothing that matters.
  static constexpr double kDependent = 1e-8;

 private:
  const linalg::SparseMatrix& M_;
  Eigen::MatrixXd Q_;
};

// √(xᵀ M x) by column.
Eigen::VectorXd massNorms(const linalg::SparseMatrix& M, const Eigen::MatrixXd& X);

}  // namespace flexloop::fem
