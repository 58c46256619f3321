// The axes of reactions, with factors that are older than they are (docs/theory/09_time.md, section 9.6).
//
// The three rows that hold a point of one body to a point of another, and their multipliers, are in the axes of the
// first body of the joint. Which body that is, the model says, not the machine: in a chain whose joints are written one after the
// other the axes of neighbours turn against each other, and old factors err by that turn in the forces that they pass
// on, along the whole chain. The body with more joints is the better choice; where it is the second one, rows and
// multipliers are turned into its axes before and after a solution.
#pragma once

#include <array>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

class RowAxes {
 public:
  RowAxes() = default;
  // For matrices with this pattern.
  RowAxes(const system::System& system, const linalg::SparseMatrix& pattern);

  // `values` are those of the matrix that was factorised, with the gradients of that time.
  void setTurns(const system::State& state, const std::vector<double>& values);

  void toFactors(Eigen::VectorXd& rhs) const;
  void fromFactors(Eigen::VectorXd& x) const;

  // From the axes that rows have in the model to those of the better body, at the time of the last turns, and back: what
  // is remembered of rows from step to step changes least there.
  void toBody(Eigen::VectorXd& rows) const;
  void fromBody(Eigen::VectorXd& rows) const;

 private:
  using Block = std::array<int, 9>;  // places among the values, by columns
  struct Joint {
    std::array<int, 3> rows;
    std::array<int, 2> nodes;
    std::array<Block, 2> gradients;  // by the translations of both
  };
  static void turn(const Joint& joint, const math::Mat3<double>& Q, Eigen::VectorXd& x);

  std::vector<Joint> joints_;
  std::vector<math::Mat3<double>> turns_;
  std::vector<math::Mat3<double>> axes_;  // of the better body, in those of the rows
};

}  // namespace flexloop::solve
