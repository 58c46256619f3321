// Single entries and small blocks of a sparse matrix, by their places among its values.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "math/scalar.hpp"

namespace flexloop::solve {

inline constexpr int kNoPlace = -1;

inline int findPlace(const linalg::SparseMatrix& pattern, int row, int column) {
  const int* const first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column];
  const int* const last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + 1];
  const int* const found = std::lower_bound(first, last, row);
  if (found == last || *found != row) return kNoPlace;
  return static_cast<int>(found - pattern.innerIndexPtr());
}

// By columns.
inline Eigen::Matrix3d readBlock(const std::vector<double>& values, const std::array<int, 9>& places) {
  Eigen::Matrix3d block;
  for (int k = 0; k < 9; ++k) block.data()[k] = values[places[k]];
  return block;
}

}  // namespace flexloop::solve
