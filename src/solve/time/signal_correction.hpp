// A second correction of states and signals within an iteration of a step, at the motions and
// multipliers that the iteration has found:
//
//     S_yy δy = −r_y,   S_yy the rows and columns of states and signals of the iteration matrix  (9.29)
//
// What measures a turning node ages faster than the tangents of the machine, so old tangents leave an
// error in the signals that is large beside that of the motions. Evaluating a controller again is cheap
// beside another iteration of a large machine.
#pragma once

#include <vector>

#include "linalg/solvers/factored_matrix.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

class SignalCorrection {
 public:
  // Whether the machine is so much larger than its controller that the correction pays.
  static bool isWorthwhile(const system::System& system);

  SignalCorrection(const system::System& system, const linalg::SparseMatrix& pattern);

  // Takes over its part of an iteration matrix with the pattern, and of the scaling of the whole: unscaled, a gain above the
  // reciprocal of KLU's pivot tolerance would be taken as a pivot in place of the equation of a sensor. A part that is singular
  // by itself, because a loop closes through the machine only, corrects nothing.
  void factorize(const linalg::SparseMatrix& matrix, const linalg::MatrixScaling& scaling);
  // For a checkpoint, and back; see FactoredMatrix.
  linalg::FactorRecord record() const { return factors_.record(); }
  void restore(const linalg::FactorRecord& record);
  bool isUsable() const { return usable_; }
  // The correction for a residual; entries of motions and multipliers are zero.
  void solve(const Eigen::VectorXd& residual, Eigen::VectorXd& correction);

 private:
  std::vector<int> unknowns_;  // states and signals
  std::vector<int> entries_;   // of the part, in the values of the whole
  linalg::SparseMatrix matrix_;
  Eigen::VectorXd local_;
  std::vector<int> groups_;  // every unknown by itself
  linalg::FactoredMatrix factors_;
  bool usable_ = false;
};

}  // namespace flexloop::solve
