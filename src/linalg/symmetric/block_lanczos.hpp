// Block Lanczos method with thick restarts for the operator A⁻¹ M, which is symmetric in the inner product of M:
// a basis V with Vᵀ M V = I and
//
//   A⁻¹ M V = V T + W B,      Vᵀ M W = 0,  Wᵀ M W = I.
//
// Each step takes the block W into the basis, applies the operator to it, and makes the result orthogonal to all of V, twice:
// no vector is found again that is there already, and multiplicities up to the width of the block are found at once. A restart
// keeps the leading Ritz vectors. M may be singular: all vectors are results of A⁻¹ M, so they have no part of their own in
// its null space.
#pragma once

#include <functional>
#include <random>

#include <Eigen/Core>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

class BlockLanczos {
 public:
  using Solve = std::function<void(Eigen::MatrixXd& X)>;  // X ← A⁻¹ X

  struct Ritz {
    Eigen::VectorXd values;     // falling
    Eigen::VectorXd residuals;  // |A⁻¹ M x − x θ| in the norm of M
    Eigen::MatrixXd S;          // x = V S
  };

  BlockLanczos(const SparseMatrix& M, Solve solve, int block, int capacity);

  // A fresh block of random vectors beside the columns that are kept; false where nothing is left beside them.
  bool start();
  // The same from given vectors, to which the operator is applied once.
  bool start(Eigen::MatrixXd U);
  // One step; false where the basis is invariant, so that there is no next block.
  bool extend();
  Ritz ritz() const;
  // Keeps these leading Ritz vectors, and W.
  void contract(const Ritz& ritz, int keep);
  // Keeps leading Ritz vectors that have converged and forgets everything else; start() comes next.
  void lock(const Ritz& ritz, int keep);
  void grow(int capacity);

  int columns() const { return columns_; }
  int block() const { return block_; }
  bool isFull() const { return columns_ + block_ > static_cast<int>(V_.cols()); }
  Eigen::MatrixXd vectors(const Ritz& ritz, int count) const;

 private:
  Eigen::MatrixXd orthogonalize(Eigen::MatrixXd& U) const;
  void rotate(const Ritz& ritz, int keep);

  const SparseMatrix& M_;
  Solve solve_;
  int block_, columns_ = 0;
  Eigen::MatrixXd V_, T_, W_, B_;
  std::mt19937_64 random_{20};
};

}  // namespace flexloop::linalg
