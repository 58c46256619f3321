#include "linalg/factored_matrix.hpp"

#include <algorithm>

namespace flexloop::linalg {

FactorReport FactoredMatrix::factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups) {
  if (solver_ == nullptr) {
    solver_ = makeSparseSolver(matrix, choice, groups);
    scaling_ = findMatrixScaling(matrix, constraints_);
  }
  return factorizeScaled(matrix);
}

FactorReport FactoredMatrix::factorizeScaled(const SparseMatrix& matrix) {
  if (solver_ == nullptr) return {false, -1, 0.0};
  if (scaled_.nonZeros() != matrix.nonZeros()) scaled_ = matrix;
  diagonal_.assign(matrix.cols(), 0.0);
  for (int j = 0; j < matrix.cols(); ++j) {
    const double column = scaling_.columns[j];
    for (int k = matrix.outerIndexPtr()[j]; k < matrix.outerIndexPtr()[j + 1]; ++k) {
      const int row = matrix.innerIndexPtr()[k];
      if (row == j) diagonal_[j] = matrix.valuePtr()[k];
      scaled_.valuePtr()[k] = matrix.valuePtr()[k] * (scaling_.rows[row] * column);
    }
  }
  const FactorReport report = solver_->factorize(scaled_);
  values_.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  if (report.chosePivots) pivotValues_ = values_;
  return report;
}

void FactoredMatrix::solve(Eigen::Ref<Eigen::VectorXd> x) {
  x.array() *= scaling_.rows;
  solver_->solve(x);
  x.array() *= scaling_.columns;
}

void FactoredMatrix::solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
  x.array() *= scaling_.rows;
  y.array() *= scaling_.rows;
  solver_->solvePair(x, y);
  x.array() *= scaling_.columns;
  y.array() *= scaling_.columns;
}

void FactoredMatrix::reset() {
  solver_.reset();
  scaled_ = {};
}

FactoredMatrix::Record FactoredMatrix::record() const {
  if (solver_ == nullptr) return {};
  Record record(scaling_.rows.begin(), scaling_.rows.end());
  record.insert(record.end(), scaling_.columns.begin(), scaling_.columns.end());
  record.insert(record.end(), values_.begin(), values_.end());
  if (pivotValues_ != values_)
    record.insert(record.end(), pivotValues_.begin(), pivotValues_.end());
  return record;
}

void FactoredMatrix::restore(const Record& record, const SparseMatrix& pattern, SolverChoice choice,
                             const std::vector<int>& groups) {
  reset();
  const auto count = static_cast<std::size_t>(pattern.nonZeros());
  const auto scales = static_cast<std::size_t>(pattern.rows() + pattern.cols());
  if (record.size() < scales + count || count == 0) return;
  solver_ = makeSparseSolver(pattern, choice, groups);
  const Eigen::Index n = pattern.rows();
  scaling_.rows = Eigen::Map<const Eigen::ArrayXd>(record.data(), n);
  scaling_.columns = Eigen::Map<const Eigen::ArrayXd>(record.data() + n, n);
  SparseMatrix matrix = pattern;
  std::copy_n(record.end() - static_cast<long>(count), count, matrix.valuePtr());
  if (!factorizeScaled(matrix).ok || record.size() == scales + count) return;
  std::copy_n(record.begin() + static_cast<long>(scales), count, matrix.valuePtr());
  if (!factorizeScaled(matrix).ok) reset();
}

}  // namespace flexloop::linalg
