// LU factors as dense panels, for pivots that are known.
//
// The unknowns of a node and of the joint that holds it are eliminated one after the other and leave fill in the same rows and
// columns. Such a run of columns is kept as one dense panel,
//
//     ( L₁₁\U₁₁  U₁₂ )
//     ( L₂₁       ·  )     with the rows of L₂₁ and the columns of U₁₂ in the same places,
//
// in which loops run over neighbours in memory, and an index is looked up once for a run instead of once for an entry. What a
// panel takes from later ones, L₂₁U₁₂, is subtracted where it belongs by a map that is made once.
//
// Large factors do not fit the cache, and a solution takes as long as they take to read. So each of its two sweeps has what it needs,
// and nothing else, in the order in which it needs it: first L₁₁ and L₂₁ of all panels from the first to the last, then U₁₂ and
// U₁₁ from the last to the first. Both sweeps need the blocks on the diagonal, of four columns each, and have copies of their own.
//
// The pattern is made symmetric; pivots come from a factorisation that chose them, and are kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/large_allocator.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

class PanelFactors {
 public:
  // Row pivotRows[k] and column pivotColumns[k] of the matrix are eliminated in the k-th place. Returns false, and is of no use, where panels
  // would hold more than `mostEntries`.
  [[nodiscard]] bool analyze(const SparseMatrix& pattern, const std::vector<int>& pivotRows,
                             const std::vector<int>& pivotColumns, std::size_t mostEntries);

  // The ratio of the smallest to the largest pivot; 0 if there is none to speak of.
  double factorize(const SparseMatrix& matrix);

  void solve(Eigen::Ref<Eigen::VectorXd> x);
  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y);

 private:
  // Columns and rows are padded to whole lanes: a panel has slots for `diagonalRows` columns, of which `width` are in use.
  struct Panel {
    int first = 0, width = 0;  // places of its columns
    int below = 0;             // rows of L₂₁
    int slot = 0;              // the first of its columns'
    int diagonalRows = 0;      // rows kept for L₁₁ and U₁₁
    // Where its parts begin among the values. L₁₁: by four columns from their rows on the diagonal down. L₂₁: by four rows, and in these by columns.
    // U₁₂: by columns. U₁₁: by four columns, the last ones first, each down to the diagonal, which holds inverse pivots.
    std::size_t diagonalLower = 0, lower = 0, upper = 0, diagonalUpper = 0;
    std::size_t rows = 0;     // where the slots of L₂₁'s rows begin
    std::size_t targets = 0;  // where the map of L₂₁U₁₂ begins, by columns
  };
  struct PivotRange {
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    bool areNumbers = true;  // other than zero

    void include(double pivot) {
      areNumbers = areNumbers && pivot > 0.0 && pivot < std::numeric_limits<double>::infinity();
      smallest = std::min(smallest, pivot);
      largest = std::max(largest, pivot);
    }
    double ratio() const { return areNumbers ? smallest / largest : 0.0; }
  };
  using Structure = std::vector<std::vector<int>>;  // places below the diagonal, by column

  static Structure findStructure(const SparseMatrix& pattern, const std::vector<int>& rowPlace,
                                 const std::vector<int>& columnPlace);
  void choosePanels(const Structure& structure);
  bool placePanels(const Structure& structure, std::size_t mostEntries);
  std::size_t locate(int row, int column) const;
  void mapUpdates();
  std::size_t locateOnDiagonal(const Panel& panel, int row, int column) const;
  void readDiagonal(const Panel& panel);
  void writeDiagonal(const Panel& panel);
  void eliminateDiagonal(const Panel& panel);
  void eliminateLower(const Panel& panel);
  void eliminateUpper(const Panel& panel);
  void update(const Panel& panel);
  void fetchAhead(std::size_t first, std::size_t count) const;
  template <int N>
  void solveLower(const Panel& panel, double* const* sides) const;
  template <int N>
  void solveUpper(const Panel& panel, double* const* sides) const;
  template <int N>
  void solveAll(double* const* sides) const;

  int size_ = 0, slots_ = 0;
  std::vector<int> pivotRows_, pivotColumns_;
  std::vector<Panel> panels_;
  std::vector<int> panelOf_, slotOf_;  // by place
  std::vector<int> rows_;              // of all panels
  std::vector<int> entries_;           // of the matrix, among the values
  std::vector<int> targets_;
  std::vector<double, base::LargeAllocator<double>> values_;
  std::vector<double> diagonal_,
      inverses_;  // of the panel that is eliminated, by columns; workspace
  PivotRange pivots_;
  std::vector<double> work_;  // two right-hand sides in slots
};

}  // namespace flexloop::linalg
