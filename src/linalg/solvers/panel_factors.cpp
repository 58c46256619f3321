#include "linalg/solvers/panel_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/solvers/panel_lanes.hpp"

namespace flexloop::linalg {
namespace {

constexpr std::size_t kAhead = 1024,
                      kLine = 8;  // numbers: what is fetched ahead, and a line of the cache

// The rows of a block from `first` on, zero before. Whole lanes are stored throughout: a load of lanes that were stored one by
// one has to wait.
Lanes keepFrom(int first, Lanes lanes) {
  for (int i = 0; i < first; ++i) lanes[i] = 0.0;
  return lanes;
}

// The product of four rows of L₂₁ and up to four columns of U₁₂.
template <int Columns>
void multiply(const double* lower, const double* upper, int stride, int width, double* product) {
  Lanes sum[Columns] = {};
  for (int k = 0; k < width; ++k) {
    const Lanes rows = load(lower + static_cast<std::ptrdiff_t>(k) * kPanelLanes);
    for (int c = 0; c < Columns; ++c) sum[c] += rows * upper[c * stride + k];
  }
  for (int c = 0; c < Columns; ++c) store(product + c * kPanelLanes, sum[c]);
}

}  // namespace

// The diagonal block of a panel, L₁₁ and U₁₁ side by side, and back.
void PanelFactors::readDiagonal(const Panel& panel) {
  const int rows = panel.diagonalRows;
  for (int block = 0; block < rows; block += kPanelLanes) {
    const double* lower = values_.data() + panel.diagonalLower + findLowerBlock(rows, block);
    const double* upper = values_.data() + panel.diagonalUpper + findUpperBlock(rows, block);
    double* column = diagonal_.data() + static_cast<std::ptrdiff_t>(block) * rows;
    for (int c = 0; c < kPanelLanes; ++c, column += rows) {
      std::copy_n(upper, block, column);
      std::copy_n(lower, rows - block, column + block);
      upper += block + kPanelLanes;
      lower += rows - block;
    }
  }
}

void PanelFactors::writeDiagonal(const Panel& panel) {
  const int rows = panel.diagonalRows;
  for (int block = 0; block < rows; block += kPanelLanes) {
    double* lower = values_.data() + panel.diagonalLower + findLowerBlock(rows, block);
    double* upper = values_.data() + panel.diagonalUpper + findUpperBlock(rows, block);
    const double* column = diagonal_.data() + static_cast<std::ptrdiff_t>(block) * rows;
    for (int c = 0; c < kPanelLanes; ++c, column += rows) {
      std::copy_n(column, block + kPanelLanes, upper);
      upper[block + c] = inverses_[block + c];
      std::copy_n(column + block, rows - block, lower);
      upper += block + kPanelLanes;
      lower += rows - block;
    }
  }
}

// L₁₁U₁₁. Columns that are not in use have no pivot, and solutions there are zero.
void PanelFactors::eliminateDiagonal(const Panel& panel) {
  const int rows = panel.diagonalRows;
  const auto columnOf = [&](int k) {
    return diagonal_.data() + static_cast<std::ptrdiff_t>(k) * rows;
  };
  std::fill_n(inverses_.begin() + panel.width, rows - panel.width, 1.0);
  for (int k = 0; k < panel.width; ++k) {
    double* const column = columnOf(k);
    const double inverse = 1.0 / column[k];
    inverses_[k] = inverse;
    pivots_.include(1.0 / std::abs(inverse));
    const int block = (k + 1) / kPanelLanes * kPanelLanes;
    if (block == rows) continue;
    const Lanes before = load(column + block);
    const Lanes first = keepFrom(k + 1 - block, inverse * before);
    for (int i = block + kPanelLanes; i < rows; i += kPanelLanes) {
      store(column + i, inverse * load(column + i));
    }
    store(column + block, first + (before - keepFrom(k + 1 - block, before)));
    for (int j = k + 1; j < panel.width; ++j) {
      double* const other = columnOf(j);
      const double factor = other[k];
      store(other + block, load(other + block) - factor * first);
      for (int i = block + kPanelLanes; i < rows; i += kPanelLanes) {
        store(other + i, load(other + i) - factor * load(column + i));
      }
    }
  }
}

// L₂₁ = A₂₁ U₁₁⁻¹, by four rows.
void PanelFactors::eliminateLower(const Panel& panel) {
  double* rows = values_.data() + panel.lower;
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(panel.width) * kPanelLanes;
  for (int r = 0; r < panel.below; r += kPanelLanes, rows += stride) {
    for (int k = 0; k < panel.width; ++k) {
      const Lanes own = inverses_[k] * load(rows + static_cast<std::ptrdiff_t>(k) * kPanelLanes);
      store(rows + static_cast<std::ptrdiff_t>(k) * kPanelLanes, own);
      const double* factor = diagonal_.data() + k;
      for (int j = k + 1; j < panel.width; ++j) {
        double* const other = rows + static_cast<std::ptrdiff_t>(j) * kPanelLanes;
        store(other,
              load(other) - factor[static_cast<std::ptrdiff_t>(j) * panel.diagonalRows] * own);
      }
    }
  }
}

// U₁₂ = L₁₁⁻¹ A₁₂.
void PanelFactors::eliminateUpper(const Panel& panel) {
  const int rows = panel.diagonalRows;
  double* const upper = values_.data() + panel.upper;
  for (int k = 0; k + 1 < panel.width; ++k) {
    const double* const column = diagonal_.data() + static_cast<std::ptrdiff_t>(k) * rows;
    const int block = (k + 1) / kPanelLanes * kPanelLanes;
    const Lanes first = keepFrom(k + 1 - block, load(column + block));
    for (int c = 0; c < panel.below; ++c) {
      double* const other = upper + static_cast<std::ptrdiff_t>(c) * rows;
      const double factor = other[k];
      store(other + block, load(other + block) - factor * first);
      for (int i = block + kPanelLanes; i < rows; i += kPanelLanes) {
        store(other + i, load(other + i) - factor * load(column + i));
      }
    }
  }
}

// Subtracts L₂₁U₁₂ from what is eliminated later.
void PanelFactors::update(const Panel& panel) {
  const double* const lower = values_.data() + panel.lower;
  const double* const upper = values_.data() + panel.upper;
  const int* const targets = targets_.data() + panel.targets;
  double product[kPanelLanes * kPanelLanes];
  for (int c = 0; c < panel.below; c += kPanelLanes) {
    const int columns = std::min(kPanelLanes, panel.below - c);
    const double* const right = upper + static_cast<std::ptrdiff_t>(c) * panel.diagonalRows;
    for (int r = 0; r < panel.below; r += kPanelLanes) {
      const auto multiplyBy = columns == 4   ? multiply<4>
                              : columns == 3 ? multiply<3>
                              : columns == 2 ? multiply<2>
                                             : multiply<1>;
      multiplyBy(lower + static_cast<std::ptrdiff_t>(r) * panel.width, right, panel.diagonalRows,
                 panel.width, product);
      const int rows = std::min(kPanelLanes, panel.below - r);
      for (int j = 0; j < columns; ++j) {
        const int* const target = targets + static_cast<std::ptrdiff_t>(c + j) * panel.below + r;
        for (int i = 0; i < rows; ++i) values_[target[i]] -= product[j * kPanelLanes + i];
      }
    }
  }
}

double PanelFactors::factorize(const SparseMatrix& matrix) {
  std::fill(values_.begin(), values_.end(), 0.0);
  const double* const entries = matrix.valuePtr();
  for (std::size_t k = 0; k < entries_.size(); ++k) values_[entries_[k]] += entries[k];
  pivots_ = {};
  for (const Panel& panel : panels_) {
    readDiagonal(panel);
    eliminateDiagonal(panel);
    writeDiagonal(panel);
    eliminateLower(panel);
    eliminateUpper(panel);
    update(panel);
  }
  return pivots_.ratio();
}

// L₁₁ y = y, then what L₂₁ takes from later places.
template <int N>
void PanelFactors::solveLower(const Panel& panel, double* const* sides) const {
  const double* c0 = values_.data() + panel.diagonalLower;
  for (int k = 0; k < panel.diagonalRows; k += kPanelLanes) {
    const int height = panel.diagonalRows - k;
    const double *const c1 = c0 + height, *const c2 = c1 + height, *const c3 = c2 + height;
    for (int s = 0; s < N; ++s) {
      double* const y = sides[s] + panel.slot + k;
      const double y0 = y[0];
      const double y1 = y[1] - c0[1] * y0;
      const double y2 = y[2] - c0[2] * y0 - c1[2] * y1;
      const double y3 = y[3] - c0[3] * y0 - c1[3] * y1 - c2[3] * y2;
      store(y, Lanes{y0, y1, y2, y3});
      for (int i = kPanelLanes; i < height; i += kPanelLanes) {
        store(y + i, load(y + i) - (load(c0 + i) * y0 + load(c1 + i) * y1) -
                         (load(c2 + i) * y2 + load(c3 + i) * y3));
      }
    }
    c0 = c3 + height;
  }
  const int* const rows = rows_.data() + panel.rows;
  const double* entry = values_.data() + panel.lower;
  for (int r = 0; r < panel.below; r += kPanelLanes) {
    Lanes sum[N] = {};
    for (int k = 0; k < panel.width; ++k, entry += kPanelLanes) {
      const Lanes entries = load(entry);
      for (int s = 0; s < N; ++s) sum[s] += entries * sides[s][panel.slot + k];
    }
    const int count = std::min(kPanelLanes, panel.below - r);
    for (int s = 0; s < N; ++s) {
      for (int i = 0; i < count; ++i) sides[s][rows[r + i]] -= sum[s][i];
    }
  }
}

// y −= U₁₂ x, then U₁₁ y = y.
template <int N>
void PanelFactors::solveUpper(const Panel& panel, double* const* sides) const {
  const double* const upper = values_.data() + panel.upper;
  const int* const rows = rows_.data() + panel.rows;
  for (int k = 0; k < panel.diagonalRows; k += kPanelLanes) {
    Lanes sum[N] = {};
    const double* column = upper + k;
    for (int c = 0; c < panel.below; ++c, column += panel.diagonalRows) {
      const Lanes entries = load(column);
      for (int s = 0; s < N; ++s) sum[s] += entries * sides[s][rows[c]];
    }
    for (int s = 0; s < N; ++s) {
      double* const y = sides[s] + panel.slot;
      store(y + k, load(y + k) - sum[s]);
    }
  }
  const double* c0 = values_.data() + panel.diagonalUpper;
  for (int k = panel.diagonalRows - kPanelLanes; k >= 0; k -= kPanelLanes) {
    const int height = k + kPanelLanes;
    const double *const c1 = c0 + height, *const c2 = c1 + height, *const c3 = c2 + height;
    for (int s = 0; s < N; ++s) {
      double* const y = sides[s] + panel.slot;
      const double y3 = y[k + 3] * c3[k + 3];
      const double y2 = (y[k + 2] - c3[k + 2] * y3) * c2[k + 2];
      const double y1 = (y[k + 1] - c3[k + 1] * y3 - c2[k + 1] * y2) * c1[k + 1];
      const double y0 = (y[k] - c3[k] * y3 - c2[k] * y2 - c1[k] * y1) * c0[k];
      store(y + k, Lanes{y0, y1, y2, y3});
      for (int i = 0; i < k; i += kPanelLanes) {
        store(y + i, load(y + i) - (load(c0 + i) * y0 + load(c1 + i) * y1) -
                         (load(c2 + i) * y2 + load(c3 + i) * y3));
      }
    }
    c0 = c3 + height;
  }
}

// What a sweep will need soon. A panel waits for the one before it, so that the processor alone looks no further ahead.
void PanelFactors::fetchAhead(std::size_t first, std::size_t count) const {
  const double* const begin = values_.data() + std::min(first + kAhead, values_.size());
  const double* const end = values_.data() + std::min(first + kAhead + count, values_.size());
  for (const double* line = begin; line < end; line += kLine) __builtin_prefetch(line);
}

// N right-hand sides at once.
template <int N>
void PanelFactors::solveAll(double* const* sides) const {
  for (const Panel& panel : panels_) {
    fetchAhead(panel.diagonalLower, countTriangle(panel.diagonalRows) +
                                        static_cast<std::size_t>(panel.below) * panel.width);
    solveLower<N>(panel, sides);
  }
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
    fetchAhead(panel->upper, countTriangle(panel->diagonalRows) +
                                 static_cast<std::size_t>(panel->below) * panel->diagonalRows);
    solveUpper<N>(*panel, sides);
  }
}

void PanelFactors::solve(Eigen::Ref<Eigen::VectorXd> x) {
  double* const side = work_.data();
  std::fill_n(side, slots_, 0.0);
  for (int k = 0; k < size_; ++k) side[slotOf_[k]] = x[pivotRows_[k]];
  solveAll<1>(&side);
  for (int k = 0; k < size_; ++k) x[pivotColumns_[k]] = side[slotOf_[k]];
}

void PanelFactors::solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
  double* const sides[] = {work_.data(), work_.data() + slots_};
  std::fill_n(sides[0], 2 * static_cast<std::ptrdiff_t>(slots_), 0.0);
  for (int k = 0; k < size_; ++k) {
    sides[0][slotOf_[k]] = x[pivotRows_[k]];
    sides[1][slotOf_[k]] = y[pivotRows_[k]];
  }
  solveAll<2>(sides);
  for (int k = 0; k < size_; ++k) {
    x[pivotColumns_[k]] = sides[0][slotOf_[k]];
    y[pivotColumns_[k]] = sides[1][slotOf_[k]];
  }
}

}  // namespace flexloop::linalg
