#include "linalg/solvers/panel_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace flexloop::linalg {
namespace {

constexpr int kLanes = 4;
constexpr int kWidest = 32;         // columns of a panel
constexpr double kMostZeros = 0.2;  // share of a panel that may be kept for nothing
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

int roundUp(int count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void store(double* to, Lanes lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// The rows of a block from `first` on, zero before. Whole lanes are stored throughout: a load of lanes that were stored one by
// one has to wait.
Lanes keepFrom(int first, Lanes lanes) {
  for (int i = 0; i < first; ++i) lanes[i] = 0.0;
  return lanes;
}

// The product of four rows of L₂₁ and up to four columns of U₁₂.
template <int Columns>
void multiply(const double* lower, int height, const double* upper, int stride, int width,
              double* product) {
  Lanes sum[Columns] = {};
  for (int k = 0; k < width; ++k) {
    const Lanes rows = load(lower + static_cast<std::ptrdiff_t>(k) * height);
    for (int c = 0; c < Columns; ++c) sum[c] += rows * upper[c * stride + k];
  }
  for (int c = 0; c < Columns; ++c) store(product + c * kLanes, sum[c]);
}

}  // namespace

// Column by column: its own entries, and those of the columns whose first entry below the diagonal is in it.
PanelFactors::Structure PanelFactors::findStructure(const SparseMatrix& pattern,
                                                    const std::vector<int>& rowPlace,
                                                    const std::vector<int>& columnPlace) {
  const int n = static_cast<int>(pattern.cols());
  Structure structure(n);
  for (int column = 0; column < n; ++column) {
    for (SparseMatrix::InnerIterator it(pattern, column); it; ++it) {
      const int i = rowPlace[it.row()], j = columnPlace[column];
      if (i != j) structure[std::min(i, j)].push_back(std::max(i, j));
    }
  }
  std::vector<std::vector<int>> children(n);
  std::vector<int> mark(n, -1);
  for (int j = 0; j < n; ++j) {
    std::vector<int>& own = structure[j];
    std::size_t kept = 0;
    for (const int i : own) {
      if (mark[i] != j) own[kept++] = i;
      mark[i] = j;
    }
    own.resize(kept);
    for (const int child : children[j]) {
      for (const int i : structure[child]) {
        if (i == j || mark[i] == j) continue;
        mark[i] = j;
        own.push_back(i);
      }
    }
    std::sort(own.begin(), own.end());
    if (!own.empty()) children[own.front()].push_back(j);
  }
  return structure;
}

// A column joins the panel before it if it is the first that the last column there has an entry in, and if that leaves few zeros.
void PanelFactors::choosePanels(const Structure& structure) {
  panels_.clear();
  std::size_t entries = 0;  // of the panel's columns
  for (int j = 0; j < size_; ++j) {
    const std::size_t own = structure[j].size() + 1;
    if (!panels_.empty()) {
      Panel& last = panels_.back();
      const auto width = static_cast<std::size_t>(last.width) + 1;
      const bool isNext = !structure[j - 1].empty() && structure[j - 1].front() == j;
      const std::size_t dense = width * (own - 1) + width * (width + 1) / 2;
      const double zeros = static_cast<double>(dense - std::min(dense, entries + own));
      if (isNext && last.width < kWidest && zeros <= kMostZeros * static_cast<double>(dense)) {
        ++last.width;
        entries += own;
        continue;
      }
    }
    Panel panel;
    panel.first = j;
    panel.width = 1;
    panels_.push_back(panel);
    entries = own;
  }
}

bool PanelFactors::placePanels(const Structure& structure, std::size_t mostEntries) {
  panelOf_.resize(size_);
  slotOf_.resize(size_);
  rows_.clear();
  slots_ = 0;
  std::size_t values = 0, targets = 0;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    Panel& panel = panels_[p];
    const std::vector<int>& below = structure[panel.first + panel.width - 1];
    panel.below = static_cast<int>(below.size());
    panel.diagonalRows = roundUp(panel.width);
    panel.height = panel.diagonalRows + roundUp(panel.below);
    panel.slot = slots_;
    slots_ += panel.diagonalRows;
    for (int k = 0; k < panel.width; ++k) {
      panelOf_[panel.first + k] = static_cast<int>(p);
      slotOf_[panel.first + k] = panel.slot + k;
    }
    panel.rows = rows_.size();
    rows_.insert(rows_.end(), below.begin(), below.end());
    panel.lower = values;
    values += static_cast<std::size_t>(panel.height) * panel.diagonalRows;
    panel.upper = values;
    values += static_cast<std::size_t>(panel.diagonalRows) * panel.below;
    panel.targets = targets;
    targets += static_cast<std::size_t>(panel.below) * panel.below;
  }
  // The map takes half as much as numbers do.
  if (values + targets / 2 > mostEntries) return false;
  if (values > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  values_.assign(values, 0.0);
  targets_.resize(targets);
  inversePivots_.assign(slots_, 1.0);
  work_.assign(2 * static_cast<std::size_t>(slots_), 0.0);
  return true;
}

// The entry in the given places, among the values.
std::size_t PanelFactors::locate(int row, int column) const {
  const Panel& panel = panels_[panelOf_[std::min(row, column)]];
  const auto place = [&](int outside) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(panel.rows);
    return std::lower_bound(begin, begin + panel.below, outside) - begin;
  };
  const int end = panel.first + panel.width;
  if (column >= end) {
    return panel.upper + static_cast<std::size_t>(place(column)) * panel.diagonalRows +
           (row - panel.first);
  }
  const std::size_t start =
      panel.lower + static_cast<std::size_t>(column - panel.first) * panel.height;
  return start + (row < end ? row - panel.first : panel.diagonalRows + place(row));
}

void PanelFactors::mapUpdates() {
  for (const Panel& panel : panels_) {
    const int* rows = rows_.data() + panel.rows;
    int* target = targets_.data() + panel.targets;
    for (int c = 0; c < panel.below; ++c) {
      for (int r = 0; r < panel.below; ++r) *target++ = static_cast<int>(locate(rows[r], rows[c]));
    }
  }
}

bool PanelFactors::analyze(const SparseMatrix& pattern, const std::vector<int>& pivotRows,
                           const std::vector<int>& pivotColumns, std::size_t mostEntries) {
  size_ = static_cast<int>(pattern.cols());
  pivotRows_ = pivotRows;
  pivotColumns_ = pivotColumns;
  std::vector<int> rowPlace(size_), columnPlace(size_);
  for (int k = 0; k < size_; ++k) {
    rowPlace[pivotRows[k]] = k;
    columnPlace[pivotColumns[k]] = k;
  }
  const Structure structure = findStructure(pattern, rowPlace, columnPlace);
  choosePanels(structure);
  if (!placePanels(structure, mostEntries)) return false;
  mapUpdates();
  entries_.clear();
  for (int column = 0; column < size_; ++column) {
    for (SparseMatrix::InnerIterator it(pattern, column); it; ++it) {
      entries_.push_back(static_cast<int>(locate(rowPlace[it.row()], columnPlace[column])));
    }
  }
  for (int& row : rows_) row = slotOf_[row];
  return true;
}

// L₁₁U₁₁, L₂₁ and U₁₂ of one panel.
void PanelFactors::eliminate(const Panel& panel) {
  double* const lower = values_.data() + panel.lower;
  double* const upper = values_.data() + panel.upper;
  for (int k = 0; k < panel.width; ++k) {
    double* const column = lower + static_cast<std::ptrdiff_t>(k) * panel.height;
    const double inverse = 1.0 / column[k];
    inversePivots_[panel.slot + k] = inverse;
    const int block = (k + 1) / kLanes * kLanes;
    if (block == panel.height) continue;
    const Lanes first = keepFrom(k + 1 - block, inverse * load(column + block));
    for (int i = block + kLanes; i < panel.height; i += kLanes) {
      store(column + i, inverse * load(column + i));
    }
    if (block > k) {
      store(column + block, first);
    } else {
      const Lanes before = load(column + block);
      store(column + block, first + (before - keepFrom(k + 1 - block, before)));
    }
    const auto subtractFrom = [&](double* other, int height) {
      const double factor = other[k];
      store(other + block, load(other + block) - factor * first);
      for (int i = block + kLanes; i < height; i += kLanes) {
        store(other + i, load(other + i) - factor * load(column + i));
      }
    };
    for (int j = k + 1; j < panel.width; ++j) {
      subtractFrom(lower + static_cast<std::ptrdiff_t>(j) * panel.height, panel.height);
    }
    if (k + 1 == panel.width) continue;
    for (int c = 0; c < panel.below; ++c) {
      subtractFrom(upper + static_cast<std::ptrdiff_t>(c) * panel.diagonalRows, panel.diagonalRows);
    }
  }
}

// Subtracts L₂₁U₁₂ from what is eliminated later.
void PanelFactors::update(const Panel& panel) {
  const double* const lower = values_.data() + panel.lower + panel.diagonalRows;
  const double* const upper = values_.data() + panel.upper;
  const int* const targets = targets_.data() + panel.targets;
  double product[kLanes * kLanes];
  for (int c = 0; c < panel.below; c += kLanes) {
    const int columns = std::min(kLanes, panel.below - c);
    const double* const right = upper + static_cast<std::ptrdiff_t>(c) * panel.diagonalRows;
    for (int r = 0; r < panel.below; r += kLanes) {
      const auto multiplyBy = columns == 4   ? multiply<4>
                              : columns == 3 ? multiply<3>
                              : columns == 2 ? multiply<2>
                                             : multiply<1>;
      multiplyBy(lower + r, panel.height, right, panel.diagonalRows, panel.width, product);
      const int rows = std::min(kLanes, panel.below - r);
      for (int j = 0; j < columns; ++j) {
        const int* const target = targets + static_cast<std::ptrdiff_t>(c + j) * panel.below + r;
        for (int i = 0; i < rows; ++i) values_[target[i]] -= product[j * kLanes + i];
      }
    }
  }
}

double PanelFactors::factorize(const SparseMatrix& matrix) {
  std::fill(values_.begin(), values_.end(), 0.0);
  const double* const entries = matrix.valuePtr();
  for (std::size_t k = 0; k < entries_.size(); ++k) values_[entries_[k]] += entries[k];
  for (const Panel& panel : panels_) {
    eliminate(panel);
    update(panel);
  }
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const int slot : slotOf_) {
    const double pivot = 1.0 / std::abs(inversePivots_[slot]);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return 0.0;
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  return smallest / largest;
}

// L₁₁ y = y, then what L₂₁ takes from later places.
template <int N>
void PanelFactors::solveLower(const Panel& panel, double* const* sides) const {
  const double* const lower = values_.data() + panel.lower;
  const std::ptrdiff_t height = panel.height;
  for (int k = 0; k < panel.diagonalRows; k += kLanes) {
    const double* const c0 = lower + k * height;
    const double *const c1 = c0 + height, *const c2 = c1 + height, *const c3 = c2 + height;
    for (int s = 0; s < N; ++s) {
      double* const y = sides[s] + panel.slot;
      const double y0 = y[k];
      const double y1 = y[k + 1] - c0[k + 1] * y0;
      const double y2 = y[k + 2] - c0[k + 2] * y0 - c1[k + 2] * y1;
      const double y3 = y[k + 3] - c0[k + 3] * y0 - c1[k + 3] * y1 - c2[k + 3] * y2;
      store(y + k, Lanes{y0, y1, y2, y3});
      for (int i = k + kLanes; i < panel.diagonalRows; i += kLanes) {
        store(y + i, load(y + i) - (load(c0 + i) * y0 + load(c1 + i) * y1) -
                         (load(c2 + i) * y2 + load(c3 + i) * y3));
      }
    }
  }
  const int* const rows = rows_.data() + panel.rows;
  for (int r = 0; r < panel.below; r += kLanes) {
    Lanes sum[N] = {};
    const double* column = lower + panel.diagonalRows + r;
    for (int k = 0; k < panel.width; ++k, column += height) {
      const Lanes entries = load(column);
      for (int s = 0; s < N; ++s) sum[s] += entries * sides[s][panel.slot + k];
    }
    const int count = std::min(kLanes, panel.below - r);
    for (int s = 0; s < N; ++s) {
      for (int i = 0; i < count; ++i) sides[s][rows[r + i]] -= sum[s][i];
    }
  }
}

// y −= U₁₂ x, then U₁₁ y = y.
template <int N>
void PanelFactors::solveUpper(const Panel& panel, double* const* sides) const {
  const double* const lower = values_.data() + panel.lower;
  const double* const upper = values_.data() + panel.upper;
  const double* const inverse = inversePivots_.data() + panel.slot;
  const int* const rows = rows_.data() + panel.rows;
  const std::ptrdiff_t height = panel.height;
  for (int k = 0; k < panel.diagonalRows; k += kLanes) {
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
  for (int k = panel.diagonalRows - kLanes; k >= 0; k -= kLanes) {
    const double* const c0 = lower + k * height;
    const double *const c1 = c0 + height, *const c2 = c1 + height, *const c3 = c2 + height;
    for (int s = 0; s < N; ++s) {
      double* const y = sides[s] + panel.slot;
      const double y3 = y[k + 3] * inverse[k + 3];
      const double y2 = (y[k + 2] - c3[k + 2] * y3) * inverse[k + 2];
      const double y1 = (y[k + 1] - c3[k + 1] * y3 - c2[k + 1] * y2) * inverse[k + 1];
      const double y0 = (y[k] - c3[k] * y3 - c2[k] * y2 - c1[k] * y1) * inverse[k];
      store(y + k, Lanes{y0, y1, y2, y3});
      for (int i = 0; i < k; i += kLanes) {
        store(y + i, load(y + i) - (load(c0 + i) * y0 + load(c1 + i) * y1) -
                         (load(c2 + i) * y2 + load(c3 + i) * y3));
      }
    }
  }
}

// N right-hand sides at once.
template <int N>
void PanelFactors::solveAll(double* const* sides) const {
  for (const Panel& panel : panels_) solveLower<N>(panel, sides);
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
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
