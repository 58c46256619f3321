// Which columns are a panel, and where its entries are kept.
#include <algorithm>
#include <limits>

#include "linalg/solvers/panel_factors.hpp"
#include "linalg/solvers/panel_lanes.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kWidest = 32;         // columns of a panel
constexpr double kMostZeros = 0.2;  // share of a panel that may be kept for nothing

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
  std::size_t values = 0, targets = 0, room = 0;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    Panel& panel = panels_[p];
    const std::vector<int>& below = structure[panel.first + panel.width - 1];
    panel.below = static_cast<int>(below.size());
    panel.diagonalRows = roundUpToLanes(panel.width);
    panel.slot = slots_;
    slots_ += panel.diagonalRows;
    for (int k = 0; k < panel.width; ++k) {
      panelOf_[panel.first + k] = static_cast<int>(p);
      slotOf_[panel.first + k] = panel.slot + k;
    }
    panel.rows = rows_.size();
    rows_.insert(rows_.end(), below.begin(), below.end());
    panel.diagonalLower = values;
    values += countTriangle(panel.diagonalRows);
    panel.lower = values;
    values += static_cast<std::size_t>(roundUpToLanes(panel.below)) * panel.width;
    panel.targets = targets;
    targets += static_cast<std::size_t>(panel.below) * panel.below;
    room += static_cast<std::size_t>(panel.diagonalRows) *
            (panel.diagonalRows + roundUpToLanes(panel.below) + panel.below);
  }
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
    panel->upper = values;
    values += static_cast<std::size_t>(panel->diagonalRows) * panel->below;
    panel->diagonalUpper = values;
    values += countTriangle(panel->diagonalRows);
  }
  // The map takes half as much as numbers do.
  if (room + targets / 2 > mostEntries) return false;
  if (values > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  values_.assign(values, 0.0);
  targets_.resize(targets);
  diagonal_.assign(static_cast<std::size_t>(kWidest) * kWidest, 0.0);
  inverses_.assign(kWidest, 1.0);
  work_.assign(2 * static_cast<std::size_t>(slots_), 0.0);
  return true;
}

// Blocks on the diagonal are those of L₁₁; their copies are made where the panel has been eliminated.
std::size_t PanelFactors::locateOnDiagonal(const Panel& panel, int row, int column) const {
  const int block = column / kPanelLanes * kPanelLanes, inside = column - block;
  if (row >= block) {
    return panel.diagonalLower + findLowerBlock(panel.diagonalRows, block) +
           static_cast<std::size_t>(inside) * (panel.diagonalRows - block) + (row - block);
  }
  return panel.diagonalUpper + findUpperBlock(panel.diagonalRows, block) +
         static_cast<std::size_t>(inside) * (block + kPanelLanes) + row;
}

// The entry in the given places, among the values.
std::size_t PanelFactors::locate(int row, int column) const {
  const Panel& panel = panels_[panelOf_[std::min(row, column)]];
  const auto place = [&](int outside) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(panel.rows);
    return static_cast<std::size_t>(std::lower_bound(begin, begin + panel.below, outside) - begin);
  };
  const int end = panel.first + panel.width;
  if (column >= end) {
    return panel.upper + place(column) * panel.diagonalRows + (row - panel.first);
  }
  if (row < end) return locateOnDiagonal(panel, row - panel.first, column - panel.first);
  const std::size_t below = place(row), lane = below % kPanelLanes;
  return panel.lower + (below - lane) * panel.width +
         static_cast<std::size_t>(column - panel.first) * kPanelLanes + lane;
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

}  // namespace flexloop::linalg
