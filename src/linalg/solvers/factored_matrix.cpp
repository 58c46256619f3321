#include "linalg/solvers/factored_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "base/number_reader.hpp"

namespace flexloop::linalg {
namespace {

// Products of several factors must not overflow.
constexpr int kLargestPower = 200;

void multiply(SparseMatrix& matrix, const MatrixScaling& scaling) {
  double* values = matrix.valuePtr();
  const int* rows = matrix.innerIndexPtr();
  for (int column = 0; column < matrix.cols(); ++column) {
    const double factor = scaling.columns[column];
    for (int k = matrix.outerIndexPtr()[column]; k < matrix.outerIndexPtr()[column + 1]; ++k) {
      values[k] *= factor * scaling.rows[rows[k]];
    }
  }
}

}  // namespace

double roundToPower(double x) {
  if (!(x > 0.0) || !std::isfinite(x)) return 1.0;
  return std::scalbn(1.0, std::clamp(std::ilogb(x), -kLargestPower, kLargestPower));
}

FactorReport FactoredMatrix::factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups) {
  return factorize(matrix, {}, choice, groups);
}

FactorReport FactoredMatrix::factorize(const SparseMatrix& matrix, const MatrixScaling& scaling,
                                       SolverChoice choice, const std::vector<int>& groups) {
  if (solver_ == nullptr) solver_ = makeSparseSolver(matrix, choice, groups);
  if (solver_ == nullptr) return {false, -1, 0.0};
  values_.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  scaling_ = scaling;
  if (scaling.rows.size() == 0) return factorizeScaled(matrix);
  if (scaled_.nonZeros() == matrix.nonZeros()) {
    std::copy(values_.begin(), values_.end(), scaled_.valuePtr());
  } else {
    scaled_ = matrix;
  }
  multiply(scaled_, scaling);
  return factorizeScaled(scaled_);
}

FactorReport FactoredMatrix::factorizeScaled(const SparseMatrix& matrix) {
  const FactorReport report = solver_->factorize(matrix);
  if (report.chosePivots) {
    pivotValues_.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  }
  keepsPivots_ = !report.chosePivots;
  return report;
}

void FactoredMatrix::solve(Eigen::Ref<Eigen::VectorXd> x) {
  const bool isScaled = scaling_.rows.size() > 0;
  if (isScaled) x.array() *= scaling_.rows.array();
  solver_->solve(x);
  if (isScaled) x.array() *= scaling_.columns.array();
}

void FactoredMatrix::solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
  const bool isScaled = scaling_.rows.size() > 0;
  if (isScaled) x.array() *= scaling_.rows.array();
  if (isScaled) y.array() *= scaling_.rows.array();
  solver_->solvePair(x, y);
  if (isScaled) x.array() *= scaling_.columns.array();
  if (isScaled) y.array() *= scaling_.columns.array();
}

void FactoredMatrix::reset() {
  solver_.reset();
}

// The values, whether they are scaled, the factors of rows and columns if so, and the values that the pivots are of.
FactoredMatrix::Record FactoredMatrix::record() const {
  if (solver_ == nullptr) return {};
  Record record = values_;
  record.push_back(scaling_.rows.size() > 0 ? 1.0 : 0.0);
  record.insert(record.end(), scaling_.rows.begin(), scaling_.rows.end());
  record.insert(record.end(), scaling_.columns.begin(), scaling_.columns.end());
  if (keepsPivots_) record.insert(record.end(), pivotValues_.begin(), pivotValues_.end());
  return record;
}

void FactoredMatrix::restore(const Record& record, const SparseMatrix& pattern, SolverChoice choice,
                             const std::vector<int>& groups) {
  reset();
  if (record.empty()) return;
  base::NumberReader next(record);
  SparseMatrix matrix = pattern, pivots = pattern;
  const auto valuesOf = [](SparseMatrix& of) {
    return std::span(of.valuePtr(), static_cast<std::size_t>(of.nonZeros()));
  };
  next.take(valuesOf(matrix));
  MatrixScaling scaling;
  if (next.takeFlag()) {
    scaling.rows.resize(pattern.rows());
    scaling.columns.resize(pattern.cols());
    next.take({scaling.rows.data(), static_cast<std::size_t>(pattern.rows())});
    next.take({scaling.columns.data(), static_cast<std::size_t>(pattern.cols())});
  }
  const bool hasPivots = next.left() > 0;
  if (hasPivots) next.take(valuesOf(pivots));
  if (!next.isDone()) throw std::invalid_argument("a record of another matrix");
  if (pattern.nonZeros() == 0) return;
  if (hasPivots && !factorize(pivots, {}, choice, groups).ok) return reset();
  if (!factorize(matrix, scaling, choice, groups).ok) reset();
}

}  // namespace flexloop::linalg
