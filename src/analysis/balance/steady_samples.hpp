// Sampled controllers in a steady motion (docs/theory/26_rest_of_controllers.md, section 26.3): what one instant of all
// clocks makes of their memories is what they remember already.
#pragma once

#include "analysis/balance/rest_branches.hpp"
#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {

class SteadySamples {
 public:
  // The search must live as long as this.
  SteadySamples(system::Assembler& assembler, const control::BlockSet& blocks,
                const BalanceSearch& search);

  // The motion in which no sampled block changes what it remembers. A block that keeps changing is rejected by its
  // name: with held outputs the motion would be that of another machine.
  [[nodiscard]] solve::EquilibriumReport find(system::State& state);

 private:
  solve::EquilibriumReport tryInstant(system::State& state, Eigen::VectorXd& next);
  Eigen::VectorXd memoryOf(system::State& state) const;
  void setMemory(const Eigen::VectorXd& memory, system::State& state) const;
  Eigen::VectorXd findSizes(const system::State& state, const Eigen::VectorXd& memory,
                            const Eigen::VectorXd& next) const;
  bool correct(const system::State& found, const Eigen::VectorXd& next,
               const Eigen::VectorXd& sizes, Eigen::VectorXd& memory);
  std::string nameChanging(const Eigen::VectorXd& change) const;

  system::Assembler& assembler_;
  const control::BlockSet& blocks_;
  const BalanceSearch& search_;
  int count_ = 0;  // numbers that the blocks remember
};

}  // namespace flexloop::analysis
