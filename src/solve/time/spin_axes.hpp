// Wheels and rotors, with factors that are older than their turn (docs/theory/09_time.md, section 9.14).
//
// A body that is round about the axis of its hinge meets the same equations at every angle, but not in axes that turn with it:
// factors of an earlier step have the forces of the road on the wrong side of the wheel. Its rows and unknowns are turned back
// into the axes that it had then, as its neighbour sees them, before and after a solution.
#pragma once

#include <array>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "solve/time/round_bodies.hpp"

namespace flexloop::solve {

class SpinAxes {
 public:
  SpinAxes() = default;
  // For matrices with this pattern.
  SpinAxes(const system::System& system, const std::vector<RoundBody>& bodies,
           const linalg::SparseMatrix& pattern);

  // `values` are those of the matrix that was factorised, with the gradients of that time.
  void setTurns(const system::State& state, const std::vector<double>& values);

  void toFactors(Eigen::VectorXd& rhs) const;
  void fromFactors(Eigen::VectorXd& x) const;

 private:
  using Block = std::array<int, 9>;  // places among the values, by columns
  struct Spin {
    std::array<int, 2> nodes;        // the body that turns, and its neighbour
    int first = 0;                   // unknown of the body
    std::array<Block, 2> gradients;  // of the point of the hinge, by the translations of both
  };
  static void turn(const Spin& spin, const math::Mat3<double>& Q, Eigen::VectorXd& x);

  std::vector<Spin> spins_;
  std::vector<math::Mat3<double>> turns_;  // from the axes of the body to those at the time of the factors
};

}  // namespace flexloop::solve
