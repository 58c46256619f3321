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
// The pattern is made symmetric; pivots come from a factorisation that chose them, and are kept.
#pragma once

#include <cstddef>
#include <vector>

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
    int diagonalRows = 0;      // rows kept for L₁₁\U₁₁; after them those of L₂₁
    int height = 0;            // rows kept in all
    std::size_t lower = 0;  // where (L₁₁\U₁₁; L₂₁) begins among the values, by columns
    std::size_t upper = 0;  // where U₁₂ begins, by columns of `diagonalRows`
    std::size_t rows = 0;   // where the slots of L₂₁'s rows begin
    std::size_t targets = 0;  // where the map of L₂₁U₁₂ begins, by columns
  };
  using Structure = std::vector<std::vector<int>>;  // places below the diagonal, by column

  static Structure findStructure(const SparseMatrix& pattern, const std::vector<int>& rowPlace,
                                 const std::vector<int>& columnPlace);
  void choosePanels(const Structure& structure);
  bool placePanels(const Structure& structure, std::size_t mostEntries);
  std::size_t locate(int row, int column) const;
  void mapUpdates();
  void eliminate(const Panel& panel);
  void update(const Panel& panel);
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
  std::vector<double> values_, inversePivots_;
  std::vector<double> work_;  // two right-hand sides in slots
};

}  // namespace flexloop::linalg
