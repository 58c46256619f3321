#include "linalg/factored_matrix.hpp"

#include <algorithm>

namespace flexloop::linalg {

FactorReport FactoredMatrix::factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups) {
  if (solver_ == nullptr) solver_ = makeSparseSolver(matrix, choice, groups);
  if (solver_ == nullptr) return {false, -1, 0.0};
  const FactorReport report = solver_->factorize(matrix);
  values_.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  if (report.chosePivots) pivotValues_ = values_;
  keepsPivots_ = !report.chosePivots;
  return report;
}

void FactoredMatrix::reset() {
  solver_.reset();
}

FactoredMatrix::Record FactoredMatrix::record() const {
  if (solver_ == nullptr) return {};
  Record record = values_;
  if (keepsPivots_) record.insert(record.end(), pivotValues_.begin(), pivotValues_.end());
  return record;
}

void FactoredMatrix::restore(const Record& record, const SparseMatrix& pattern, SolverChoice choice,
                             const std::vector<int>& groups) {
  reset();
  const auto count = static_cast<std::size_t>(pattern.nonZeros());
  if (record.size() < count || count == 0) return;
  SparseMatrix matrix = pattern;
  std::copy_n(record.end() - static_cast<long>(count), count, matrix.valuePtr());
  if (!factorize(matrix, choice, groups).ok || record.size() == count) return;
  std::copy_n(record.begin(), count, matrix.valuePtr());
  if (!factorize(matrix, choice, groups).ok) reset();
}

}  // namespace flexloop::linalg
