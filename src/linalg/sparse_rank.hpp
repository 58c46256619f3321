// Rank of a sparse matrix by orthogonal elimination, with the dependencies between its rows.
#pragma once

#include <vector>

#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

struct RowDependency {
  int row = -1;                 // a row that depends on others
  std::vector<int> rows;        // all rows that take part, `row` included
  std::vector<double> weights;  // Σ weights·rows = 0, the largest weight is 1
};

struct RankReport {
  int rank = 0;
  std::vector<RowDependency> dependencies;
};

// Rows are taken as they are: scale them to comparable lengths first.
RankReport calcRowRank(const SparseMatrix& matrix);

}  // namespace flexloop::linalg
