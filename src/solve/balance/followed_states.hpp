// States that follow the machine while its loads grow slowly: those whose rate depends on rates of motions alone, such as an
// integral of a velocity or the twist of a clutch that sticks. At rest their equation is empty; on the way to rest it says how much they have
// changed (docs/theory/10_equilibrium.md, section 10.7).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

// Σ row[j].second δ[row[j].first] = 0, where the state itself has the factor one.
struct FollowedState {
  int state = 0;
  std::vector<std::pair<int, double>> row;
};

class FollowedStates {
 public:
  explicit FollowedStates(system::Assembler& assembler) : assembler_(assembler) {}

  // At a state of rest, whose stiffness is K, in the order of the unknowns. Further rows and columns of K are those of further
  // states, in whose equations their own rate has the factors `further`.
  std::vector<FollowedState> find(const system::State& state,
                                  const std::vector<system::Kind>& kinds,
                                  const linalg::SparseMatrix& K,
                                  const std::vector<double>& further = {});
  // Puts the rows of the states into the matrix.
  static void replaceRows(const std::vector<FollowedState>& followed, linalg::SparseMatrix& matrix);

  using Find = std::function<std::vector<FollowedState>(const system::State&)>;
  // How much those that are followed at `from` change while it is moved by a retraction with dq, by their indices.
  std::vector<std::pair<int, double>> integrate(const system::State& from,
                                                const Eigen::VectorXd& dq, const Find& find) const;
  // The same for the states of the system, in the state that the retraction leads to.
  void advance(const system::State& from, const Eigen::VectorXd& dq, system::State& to);

 private:
  void calcTangents(const system::State& state);

  system::Assembler& assembler_;
  linalg::SparseMatrix K_, C_, M_;
  Eigen::VectorXd residual_;
};

}  // namespace flexloop::solve
