// A sparse matrix that stays factorised for many solutions. It remembers the values that the factors were made
// of, and those that the pivots were chosen for: whoever takes both over solves with the same bits.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linalg/matrix_scaling.hpp"
#include "linalg/sparse_solver.hpp"

namespace flexloop::linalg {

class FactoredMatrix {
 public:
  // Unknowns that stand for constraints, for the scaling of the first matrix; none: all equations have a diagonal.
  void setConstraints(std::vector<bool> constraints) { constraints_ = std::move(constraints); }
  // The first call chooses the solver for the pattern of the matrix (see makeSparseSolver) and its scaling.
  [[nodiscard]] FactorReport factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups);
  bool hasSolver() const { return solver_ != nullptr; }
  void solve(Eigen::Ref<Eigen::VectorXd> x);
  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y);
  void reset();
  // The values that the factors were made of, in the pattern of the matrix.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& diagonal() const { return diagonal_; }
  std::string name() const { return solver_ == nullptr ? "" : solver_->name(); }

  using Record = std::vector<double>;  // empty: no factors
  Record record() const;
  // `pattern` is that of the recorded matrix.
  void restore(const Record& record, const SparseMatrix& pattern, SolverChoice choice,
               const std::vector<int>& groups);

 private:
  std::unique_ptr<SparseSolver> solver_;
  FactorReport factorizeScaled(const SparseMatrix& matrix);

  std::vector<bool> constraints_;
  MatrixScaling scaling_;
  SparseMatrix scaled_;
  std::vector<double> values_, pivotValues_, diagonal_;
};

}  // namespace flexloop::linalg
