#include <algorithm>

#include "linalg/symmetric/symmetric_factors.hpp"

namespace flexloop::linalg {
namespace {

// Columns are taken four at a time and stored by rows, so that an entry of the matrix is read once for all of them.
constexpr int kLanes = 4;
using Lanes = Eigen::Matrix<double, Eigen::Dynamic, kLanes, Eigen::RowMajor>;

}  // namespace

Eigen::MatrixXd multiplySymmetric(const SparseMatrix& lower,
                                  const Eigen::Ref<const Eigen::MatrixXd>& X) {
  const Eigen::Index n = lower.cols();
  Eigen::MatrixXd Y(n, X.cols());
  Lanes x = Lanes::Zero(n, kLanes), y(n, kLanes);
  for (Eigen::Index first = 0; first < X.cols(); first += kLanes) {
    const Eigen::Index count = std::min<Eigen::Index>(kLanes, X.cols() - first);
    x.leftCols(count) = X.middleCols(first, count);
    y.setZero();
    for (int column = 0; column < n; ++column) {
      const Eigen::Matrix<double, 1, kLanes> xj = x.row(column);
      Eigen::Matrix<double, 1, kLanes> yj = Eigen::Matrix<double, 1, kLanes>::Zero();
      for (SparseMatrix::InnerIterator it(lower, column); it; ++it) {
        if (it.row() < column) continue;
        yj += it.value() * x.row(it.row());
        if (it.row() > column) y.row(it.row()) += it.value() * xj;
      }
      y.row(column) += yj;
    }
    Y.middleCols(first, count) = y.leftCols(count);
  }
  return Y;
}

}  // namespace flexloop::linalg
