#include "linalg/solvers/factored_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

FactorRecord FactoredMatrix::record() const {
  if (solver_ == nullptr) return {};
  return {values_, scaling_, keepsPivots_ ? pivotValues_ : std::vector<double>{}};
}

void FactoredMatrix::restore(const FactorRecord& record, const SparseMatrix& pattern,
                             SolverChoice choice, const std::vector<int>& groups) {
  reset();
  const auto entries = static_cast<std::size_t>(pattern.nonZeros());
  const MatrixScaling& scaling = record.scaling;
  const bool isEmpty = record.values.empty(), isScaled = scaling.rows.size() > 0;
  const bool isOfPattern =
      record.values.size() == (isEmpty ? 0 : entries) &&
      scaling.rows.size() == (isScaled ? pattern.rows() : 0) &&
      scaling.columns.size() == (isScaled ? pattern.cols() : 0) &&
      record.pivotValues.size() == (record.pivotValues.empty() ? 0 : entries) &&
      !(isEmpty && (isScaled || !record.pivotValues.empty()));
  if (!isOfPattern) throw std::invalid_argument("a record of another matrix");
  if (isEmpty) return;
  SparseMatrix matrix = pattern;
  if (!record.pivotValues.empty()) {
    std::copy(record.pivotValues.begin(), record.pivotValues.end(), matrix.valuePtr());
    if (!factorize(matrix, {}, choice, groups).ok) return reset();
  }
  std::copy(record.values.begin(), record.values.end(), matrix.valuePtr());
  if (!factorize(matrix, scaling, choice, groups).ok) reset();
}

}  // namespace flexloop::linalg
