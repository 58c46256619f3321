// Rank of a sparse matrix by orthogonal elimination, with the dependencies between its rows.
//
// The rows are eliminated as columns of the transposed matrix, in an order that keeps the factor sparse.
// What waits for a column are small dense blocks of rows; each is merged when its first column comes, and
// handed on to its next one. The cost is that of a sparse factorisation: proportional to the size of
// chains and ladders of loops.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

struct RowDependency {
  int row = -1;                 // a row that depends on others
  std::vector<int> rows;        // all rows that take part, `row` included
  std::vector<double> weights;  // Σ weights·rows = 0, the largest weight is 1
};

struct RankReport {
  int rank = 0;
  std::vector<int> dependent;   // rows that depend on others
  std::vector<bool> takesPart;  // by row: whether it has a share in any dependency
};

// Rows are taken as they are: scale them to comparable lengths first.
class SparseRank {
 public:
  explicit SparseRank(const SparseMatrix& matrix);

  const RankReport& report() const { return report_; }
  // The dependency of one of the dependent rows on independent ones. Its cost is that of the rows that
  // were eliminated before and are connected with it.
  RowDependency findDependency(int row);

 private:
  // Rows of the triangular factor R, in the order of elimination.
  struct Factor {
    std::vector<int> pivots;  // column of the diagonal, by row
    std::vector<int> starts{0};
    std::vector<int> columns;  // the diagonal first
    std::vector<double> values;
  };

  void eliminate(const SparseMatrix& matrix);
  void findParts();
  double solveRow(int row, const std::vector<double>& x) const;

  RankReport report_;
  std::vector<int> original_, position_;  // row of the matrix by column of R, and back
  Factor factor_;
  std::vector<std::vector<int>> rowsOfColumn_;  // of R, without the diagonal
  std::vector<double> solution_;                // of findDependency; zero in between
};

}  // namespace flexloop::linalg
