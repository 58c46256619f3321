// Foreshortening g_j = ½ zᵀB_j z of reduced parts (31.20), for any scalar.
#pragma once

#include "mechanics/parts/part_motion.hpp"
#include "mechanics/parts/reduced_matrices.hpp"

namespace flexloop::mechanics {

template <class S>
S calcForeshortening(const ReducedMatrices& m, const VectorOf<S>& z, std::size_t j) {
  const Eigen::MatrixXd& B = m.B[j];
  S sum(0.0);
  for (Eigen::Index c = 0; c < B.cols(); ++c) {
    S column(0.0);
    for (Eigen::Index r = 0; r < B.rows(); ++r) {
      if (B(r, c) != 0.0) column += z[r] * B(r, c);
    }
    sum += column * z[c];
  }
  return 0.5 * sum;
}

// What counts as strain, z + g(z).
template <class S>
VectorOf<S> foreshorten(const ReducedMatrices& m, const VectorOf<S>& z) {
  VectorOf<S> shorter = z;
  for (std::size_t j = 0; j < m.B.size(); ++j)
    shorter[ReducedMatrices::rowOf(j)] += calcForeshortening<S>(m, z, j);
  return shorter;
}

}  // namespace flexloop::mechanics
