#include "linalg/solvers/sparse_rank.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <utility>

#include <Eigen/Householder>
#include <Eigen/OrderingMethods>

#include "linalg/dense/least_squares.hpp"

namespace flexloop::linalg {

namespace {

constexpr double kDependent = 1e-9;   // of a row's own length
constexpr double kNegligible = 1e-9;  // of the terms of a sum: cancelled but for round-off

// Dense rows that have entries in the same columns, ascending.
struct Bundle {
  std::vector<int> columns;
  Eigen::MatrixXd rows;
};

// Bundles that meet in their first column, as one.
Bundle merge(const std::vector<Bundle>& bundles, std::vector<int>& local) {
  Bundle merged;
  Eigen::Index count = 0;
  for (const Bundle& bundle : bundles) {
    count += bundle.rows.rows();
    for (const int column : bundle.columns) {
      if (local[column] >= 0) continue;
      local[column] = 0;
      merged.columns.push_back(column);
    }
  }
  std::sort(merged.columns.begin(), merged.columns.end());
  for (std::size_t i = 0; i < merged.columns.size(); ++i) {
    local[merged.columns[i]] = static_cast<int>(i);
  }
  merged.rows.setZero(count, static_cast<Eigen::Index>(merged.columns.size()));
  Eigen::Index row = 0;
  for (const Bundle& bundle : bundles) {
    for (std::size_t i = 0; i < bundle.columns.size(); ++i) {
      merged.rows.block(row, local[bundle.columns[i]], bundle.rows.rows(), 1) =
          bundle.rows.col(static_cast<Eigen::Index>(i));
    }
    row += bundle.rows.rows();
  }
  for (const int column : merged.columns) local[column] = -1;
  return merged;
}

// More rows than columns say nothing more than a triangle does.
void compress(Eigen::MatrixXd& rows) {
  const Eigen::Index width = rows.cols();
  if (rows.rows() <= width) return;
  rows = findTriangle(rows);
}

}  // namespace

SparseRank::SparseRank(const SparseMatrix& matrix) {
  const int n = static_cast<int>(matrix.rows());
  report_.takesPart.assign(n, false);
  if (n == 0) return;
  SparseMatrix transposed = matrix.transpose();
  transposed.makeCompressed();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::COLAMDOrdering<int>()(transposed, order);
  position_.assign(order.indices().data(), order.indices().data() + n);
  original_.resize(n);
  for (int i = 0; i < n; ++i) original_[position_[i]] = i;
  eliminate(matrix);
  report_.rank = static_cast<int>(factor_.pivots.size());
  if (report_.dependent.empty()) return;
  rowsOfColumn_.resize(n);
  solution_.assign(n, 0.0);
  for (int row = 0; row < report_.rank; ++row) {
    for (int k = factor_.starts[row] + 1; k < factor_.starts[row + 1]; ++k) {
      rowsOfColumn_[factor_.columns[k]].push_back(row);
    }
  }
  findParts();
}

void SparseRank::eliminate(const SparseMatrix& matrix) {
  const int n = static_cast<int>(matrix.rows());
  std::vector<std::vector<Bundle>> waiting(n);
  for (int freedom = 0; freedom < matrix.cols(); ++freedom) {
    std::vector<std::pair<int, double>> entries;
    for (SparseMatrix::InnerIterator it(matrix, freedom); it; ++it) {
      entries.emplace_back(position_[it.row()], it.value());
    }
    if (entries.empty()) continue;
    std::sort(entries.begin(), entries.end());
    Bundle bundle;
    bundle.rows.resize(1, static_cast<Eigen::Index>(entries.size()));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      bundle.columns.push_back(entries[i].first);
      bundle.rows(0, static_cast<Eigen::Index>(i)) = entries[i].second;
    }
    waiting[bundle.columns.front()].push_back(std::move(bundle));
  }

  std::vector<int> local(n, -1);
  Eigen::VectorXd essential;
  Eigen::RowVectorXd work(n);
  for (int column = 0; column < n; ++column) {
    if (waiting[column].empty()) {
      report_.dependent.push_back(original_[column]);
      continue;
    }
    Bundle front = merge(waiting[column], local);
    waiting[column] = {};
    const Eigen::Index height = front.rows.rows(), width = front.rows.cols();
    Eigen::Index done = 0;
    if (front.rows.col(0).norm() > kDependent) {
      essential.resize(height - 1);
      double tau = 0.0, pivot = 0.0;
      front.rows.col(0).makeHouseholder(essential, tau, pivot);
      front.rows.rightCols(width - 1).applyHouseholderOnTheLeft(essential, tau, work.data());
      factor_.pivots.push_back(column);
      factor_.columns.insert(factor_.columns.end(), front.columns.begin(), front.columns.end());
      factor_.values.push_back(pivot);
      for (Eigen::Index k = 1; k < width; ++k) factor_.values.push_back(front.rows(0, k));
      factor_.starts.push_back(static_cast<int>(factor_.columns.size()));
      done = 1;
    } else {
      report_.dependent.push_back(original_[column]);
    }
    if (height == done || width == 1) continue;
    Bundle rest;
    rest.columns.assign(front.columns.begin() + 1, front.columns.end());
    rest.rows = front.rows.bottomRightCorner(height - done, width - 1);
    compress(rest.rows);
    waiting[rest.columns.front()].push_back(std::move(rest));
  }
}

// The share of a pivot's row in a dependency, from those of later columns; exactly zero where they cancel.
double SparseRank::solveRow(int row, const std::vector<double>& x) const {
  double sum = 0.0, size = 0.0;
  for (int k = factor_.starts[row] + 1; k < factor_.starts[row + 1]; ++k) {
    const double term = factor_.values[k] * x[factor_.columns[k]];
    sum += term;
    size += std::abs(term);
  }
  return std::abs(sum) <= kNegligible * size ? 0.0 : -sum / factor_.values[factor_.starts[row]];
}

// One dependency with random weights of all dependent rows has a share of every row that takes part in
// any. A second one, so that no chance hides one.
void SparseRank::findParts() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  for (int trial = 0; trial < 2; ++trial) {
    std::vector<double> x(position_.size(), 0.0);
    for (const int row : report_.dependent) x[position_[row]] = weight(generator);
    for (int row = report_.rank - 1; row >= 0; --row) x[factor_.pivots[row]] = solveRow(row, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] != 0.0) report_.takesPart[original_[i]] = true;
    }
  }
}

RowDependency SparseRank::findDependency(int row) {
  std::priority_queue<int> rows;  // of R that feel what is known, the last first
  std::vector<int> touched{position_[row]};
  solution_[position_[row]] = 1.0;
  for (const int r : rowsOfColumn_[position_[row]]) rows.push(r);
  while (!rows.empty()) {
    const int r = rows.top();
    while (!rows.empty() && rows.top() == r) rows.pop();
    const int column = factor_.pivots[r];
    solution_[column] = solveRow(r, solution_);
    if (solution_[column] == 0.0) continue;
    touched.push_back(column);
    for (const int other : rowsOfColumn_[column]) rows.push(other);
  }
  RowDependency dependency;
  dependency.row = row;
  double largest = 0.0;
  for (const int column : touched) largest = std::max(largest, std::abs(solution_[column]));
  for (const int column : touched) {
    dependency.rows.push_back(original_[column]);
    dependency.weights.push_back(solution_[column] / largest);
    solution_[column] = 0.0;
  }
  return dependency;
}

}  // namespace flexloop::linalg
