// The terms of the equations of states and signals: how large they are before they cancel, since what is left of them is
// known to a share of these, not of itself (docs/theory/09_time.md, section 9.9).
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

class SignalTerms {
 public:
  // What else is unknown beside the signals.
  enum class Beside : std::uint8_t { kAll, kNothing };
  // For matrices with the pattern of A.
  SignalTerms(const system::System& system, const linalg::SparseMatrix& A,
              Beside beside = Beside::kAll);

  // With the values of such a matrix, raises the size of every signal and state to the sum of the terms of its equation, each
  // as large as the sizes of its unknowns say; one after the other, along the paths of signals.
  void raise(const double* values, Eigen::VectorXd& sizes) const;

  // Corrections x of the signals that follow from what is known, one after the other, for which the solution of all
  // equations together has round-off of the others: sources and what is made of them, and where signals alone are
  // unknown all that are in no loop.
  void solveFollowing(const double* values, const Eigen::VectorXd& residual,
                      Eigen::VectorXd& x) const;
  // Of the pattern.
  int values() const { return values_; }

 private:
  struct Term {
    int value = 0, column = 0;  // in the values of the matrix
  };
  struct Row {
    int unknown = 0, diagonal = -1;
    int first = 0, last = 0;  // of the terms
  };
  std::vector<Row> rows_;
  std::vector<Row> following_;
  std::vector<Term> terms_;
  int values_ = 0;
};

}  // namespace flexloop::solve
