// A sparse matrix that stays factorised for many solutions. It remembers the values that the factors were made
// of, and those that the pivots were chosen for: with both, another solver obtains the same bits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

// Factors of the rows and columns of a matrix, powers of two, with which pivots do not depend on the units of equations and
// unknowns. Empty: none.
struct MatrixScaling {
  Eigen::VectorXd rows, columns;
};

// Of what factors were made: enough to make them again with the same bits. Without values there are none.
struct FactorRecord {
  std::vector<double> values;  // of the matrix
  MatrixScaling scaling;
  std::vector<double> pivotValues;  // scaled; those that the pivots were chosen for, if others

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("values", self.values);
    visit("row_scale", self.scaling.rows);
    visit("column_scale", self.scaling.columns);
    visit("pivot_values", self.pivotValues);
  }
};

// The largest power of two that is not above x, within what can be multiplied; one where x is no size.
double roundToPower(double x);

class FactoredMatrix {
 public:
  // The first call chooses the solver for the pattern of the matrix; see makeSparseSolver.
  [[nodiscard]] FactorReport factorize(const SparseMatrix& matrix, SolverChoice choice,
                                       const std::vector<int>& groups);
  [[nodiscard]] FactorReport factorize(const SparseMatrix& matrix, const MatrixScaling& scaling,
                                       SolverChoice choice, const std::vector<int>& groups);
  bool hasSolver() const { return solver_ != nullptr; }
  void solve(Eigen::Ref<Eigen::VectorXd> x);
  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y);
  void reset();
  // Of the matrix that was factorised last.
  const std::vector<double>& values() const { return values_; }
  const MatrixScaling& scaling() const { return scaling_; }
  std::string name() const { return solver_ == nullptr ? "" : solver_->name(); }

  FactorRecord record() const;
  // `pattern` is that of the recorded matrix. Throws std::invalid_argument where it is not.
  void restore(const FactorRecord& record, const SparseMatrix& pattern, SolverChoice choice,
               const std::vector<int>& groups);

 private:
  FactorReport factorizeScaled(const SparseMatrix& matrix);

  std::unique_ptr<SparseSolver> solver_;
  SparseMatrix scaled_;
  MatrixScaling scaling_;
  std::vector<double> values_;
  std::vector<double> pivotValues_;  // scaled
  bool keepsPivots_ = false;         // of an earlier factorisation
};

}  // namespace flexloop::linalg
