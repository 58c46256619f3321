#include "linalg/sparse_rank.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>

namespace flexloop::linalg {

namespace {

constexpr double kDependent = 1e-9;   // of a row's own length
constexpr double kNegligible = 1e-7;  // of the largest weight in a dependency

RowDependency makeDependency(const SparseMatrix& R, const Eigen::VectorXi& order, int rank,
                             int column) {
  Eigen::VectorXd weights = R.col(column).head(rank);
  const SparseMatrix leading = R.topLeftCorner(rank, rank);
  weights = leading.triangularView<Eigen::Upper>().solve(weights).eval();
  const double largest = std::max(1.0, rank > 0 ? weights.cwiseAbs().maxCoeff() : 0.0);
  RowDependency dependency;
  dependency.row = order[column];
  dependency.rows = {dependency.row};
  dependency.weights = {-1.0 / largest};
  for (int k = 0; k < rank; ++k) {
    if (std::abs(weights[k]) <= kNegligible * largest) continue;
    dependency.rows.push_back(order[k]);
    dependency.weights.push_back(weights[k] / largest);
  }
  return dependency;
}

}  // namespace

RankReport calcRowRank(const SparseMatrix& matrix) {
  RankReport report;
  if (matrix.rows() == 0 || matrix.cols() == 0) return report;
  SparseMatrix transposed = matrix.transpose();
  transposed.makeCompressed();
  Eigen::SparseQR<SparseMatrix, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(kDependent);
  qr.compute(transposed);
  report.rank = static_cast<int>(qr.rank());
  const SparseMatrix R = qr.matrixR();
  const Eigen::VectorXi order = qr.colsPermutation().indices();
  for (int column = report.rank; column < matrix.rows(); ++column) {
    report.dependencies.push_back(makeDependency(R, order, report.rank, column));
  }
  return report;
}

}  // namespace flexloop::linalg
