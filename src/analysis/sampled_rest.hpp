// Rest of a machine with sampled controllers (docs/theory/26_rest_of_controllers.md, section 26.3): what they
// remember is unknown beside positions, states, multipliers and signals,
//
//     r(value, m) = 0,   Φ(m, u) − m = 0                                                       (26.3)
//
// with Φ what one instant makes of the memory m at the inputs u.
#pragma once

#include <string>
#include <vector>

#include "control/block_set.hpp"
#include "solve/equilibrium.hpp"
#include "solve/followed_states.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

class SampledRest {
 public:
  // The compliance must live as long as this.
  SampledRest(system::Assembler& assembler, const control::BlockSet& blocks,
              const Eigen::VectorXd& compliance);

  // As solve::findEquilibrium, on the branches that the state has.
  [[nodiscard]] solve::EquilibriumReport find(system::State& state);

  // About black boxes that keep their outputs, by what was found last.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // The memory of one block among the unknowns; of a black box its outputs.
  struct Part {
    int element = 0;
    int first = 0, count = 0;
    bool isBox = false;
  };
  using Triplets = std::vector<Eigen::Triplet<double, int>>;

  bool newton(system::State& state, double mass, solve::EquilibriumReport& report);
  bool solve(system::State& state, double mass, solve::EquilibriumReport& report);
  linalg::SparseMatrix calcMatrix(system::State& state, double mass);
  std::vector<solve::FollowedState> findFollowed(const system::State& state,
                                                 const linalg::SparseMatrix& matrix);
  bool doMemoriesFollow(system::State state);
  void follow(const system::State& from, system::State& to);
  void addPart(const Part& part, const system::Motion& motion, system::State& state,
               Triplets& entries);
  void addBox(const Part& part, const std::vector<double>& inputs, system::State& state,
              Triplets& entries);
  void addInputs(const Part& part, const Eigen::MatrixXd& slopes, Triplets& entries) const;
  bool settleBox(int element, const std::vector<double>& inputs, system::State& state,
                 Eigen::VectorXd& outputs);
  void move(system::State& state);
  void keepIdle(const system::State& start, system::State& state) const;
  std::string nameUnknown(int index) const;

  system::Assembler& assembler_;
  const control::BlockSet& blocks_;
  const Eigen::VectorXd& compliance_;
  solve::FollowedStates followed_;
  bool follows_ = false;  // a state or memory does, in the last matrix
  std::vector<Part> parts_;
  int unknowns_ = 0, memory_ = 0;
  std::vector<system::Kind> kinds_;  // memory counts as states
  std::vector<int> groups_;
  std::vector<int> idle_;  // memories that act on nothing
  Eigen::VectorXd residual_, delta_;
  double size_ = 1.0;
  std::vector<std::string> notes_;
};

}  // namespace flexloop::analysis
