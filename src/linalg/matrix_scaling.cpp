#include "linalg/matrix_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::linalg {
namespace {

// Each halves the distance from balance, as a number of factors of two.
constexpr int kMostSweeps = 12;

class Scaler {
 public:
  Scaler(const SparseMatrix& matrix, const std::vector<bool>& constraints)
      : matrix_(matrix), isStrong_(matrix.cols(), true) {
    const int n = static_cast<int>(matrix.cols());
    scaling_.rows.setOnes(n);
    scaling_.columns.setOnes(n);
    for (int i = 0; i < n; ++i) {
      const double diagonal = std::abs(matrix.coeff(i, i));
      const bool isConstraint = !constraints.empty() && constraints[i];
      isStrong_[i] = !isConstraint && diagonal > 0.0 && std::isfinite(diagonal);
      if (isStrong_[i]) scaling_.rows[i] = scaling_.columns[i] = 1.0 / std::sqrt(diagonal);
    }
    findOneWay();
  }

  MatrixScaling find() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      findLargest();
      if (!balance()) break;
    }
    findLargest();
    for (Eigen::Index i = 0; i < row_.size(); ++i) {
      if (isStrong_[i]) continue;
      if (row_[i] > 0.0) scaling_.rows[i] /= row_[i];
      if (column_[i] > 0.0) scaling_.columns[i] /= column_[i];
    }
    for (Eigen::ArrayXd* factors : {&scaling_.rows, &scaling_.columns}) {
      for (double& factor : *factors) factor = std::exp2(std::round(std::log2(factor)));
    }
    return scaling_;
  }

 private:
  // Of each row and column, beside the diagonal and without constraints among each other; of those that are strong, only what
  // they have in common with strong ones.
  void findLargest() {
    row_.setZero(matrix_.rows());
    column_.setZero(matrix_.cols());
    for (int j = 0; j < matrix_.cols(); ++j) {
      for (SparseMatrix::InnerIterator it(matrix_, j); it; ++it) {
        const auto i = it.row();
        if (i == j || (!isStrong_[i] && !isStrong_[j])) continue;
        const double size = std::abs(it.value()) * scaling_.rows[i] * scaling_.columns[j];
        if (!std::isfinite(size)) continue;
        if (isStrong_[j] || !isStrong_[i]) row_[i] = std::max(row_[i], size);
        if (isStrong_[i] || !isStrong_[j]) column_[j] = std::max(column_[j], size);
      }
    }
  }

  // What no neighbour answers, as signals: motions act on each other, and have one unit in their rows and columns.
  void findOneWay() {
    isOneWay_ = isStrong_;
    for (int j = 0; j < matrix_.cols(); ++j) {
      for (SparseMatrix::InnerIterator it(matrix_, j); it; ++it) {
        const int i = static_cast<int>(it.row());
        if (i != j && hasEntry(j, i)) isOneWay_[i] = isOneWay_[j] = false;
      }
    }
  }

  bool hasEntry(int row, int column) const {
    const int* rows = matrix_.innerIndexPtr();
    return std::binary_search(rows + matrix_.outerIndexPtr()[column],
                              rows + matrix_.outerIndexPtr()[column + 1], row);
  }

  // Entries below those of the diagonal may stay as they are. False if nothing has changed by as much as a factor of two.
  bool balance() {
    bool hasChanged = false;
    for (Eigen::Index i = 0; i < row_.size(); ++i) {
      if (!isOneWay_[i] || (row_[i] <= 1.0 && column_[i] <= 1.0)) continue;
      // Both ends of an entry move at once, so each goes half of the way.
      const double ratio = row_[i] == 0.0      ? 1.0 / (column_[i] * column_[i])
                           : column_[i] == 0.0 ? row_[i] * row_[i]
                                               : row_[i] / column_[i];
      const double factor = std::sqrt(std::sqrt(ratio));
      if (!(factor > 0.0) || !std::isfinite(factor)) continue;
      hasChanged = hasChanged || factor > 2.0 || factor < 0.5;
      scaling_.columns[i] *= factor;
      scaling_.rows[i] /= factor;
    }
    return hasChanged;
  }

  const SparseMatrix& matrix_;
  std::vector<bool> isStrong_, isOneWay_;
  MatrixScaling scaling_;
  Eigen::ArrayXd row_, column_;
};

}  // namespace

MatrixScaling findMatrixScaling(const SparseMatrix& matrix, const std::vector<bool>& constraints) {
  return Scaler(matrix, constraints).find();
}

}  // namespace flexloop::linalg
