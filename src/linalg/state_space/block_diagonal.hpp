// A real matrix as independent parts (docs/theory/19_responses.md, section 19.5):
//
//     A = X diag(A_1, A_2, …) Y,    Y X = 1                                                       (19.12)
//
// Roots that rounding mixes share a part: those that are close, and those whose vectors are nearly parallel.
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

namespace flexloop::linalg {

struct RootBlock {
  // Of pairs of conjugate roots only the half with im > 0, and the conjugates of A, X and Y are the other block;
  // unless it touches the real axis and is real.
  bool isReal = false;
  Eigen::MatrixXcd A;
  Eigen::MatrixXcd X;  // orthonormal columns of X
  Eigen::MatrixXcd Y;  // rows of Y
};

// Roots closer than `closest` share a block. Throws std::runtime_error if LAPACK finds no roots.
std::vector<RootBlock> findRootBlocks(const Eigen::MatrixXd& A, double closest);

}  // namespace flexloop::linalg
