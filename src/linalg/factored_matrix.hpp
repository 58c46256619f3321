// A sparse matrix that stays factorised for many solutions. It remembers the values that the factors were made
// of, and those that the pivots were chosen for: whoever takes both over solves with the same bits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

class FactoredMatrix {
 public:
  // The first call chooses the solver for the pattern of the matrix; see makeSparseSolver.
  [[nodiscard]] FactorReport factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups);
  bool hasSolver() const { return solver_ != nullptr; }
  void solve(Eigen::Ref<Eigen::VectorXd> x) { solver_->solve(x); }
  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) {
    solver_->solvePair(x, y);
  }
  // Of the matrix that the factors were made of, in the order of its pattern.
  const std::vector<double>& values() const { return values_; }
  void reset();
  std::string name() const { return solver_ == nullptr ? "" : solver_->name(); }

  using Record = std::vector<double>;  // empty: no factors
  Record record() const;
  // `pattern` is that of the recorded matrix.
  void restore(const Record& record, const SparseMatrix& pattern, SolverChoice choice,
               const std::vector<int>& groups);

 private:
  std::unique_ptr<SparseSolver> solver_;
  std::vector<double> values_, pivotValues_;
  bool keepsPivots_ = false;  // of an earlier factorisation
};

}  // namespace flexloop::linalg
