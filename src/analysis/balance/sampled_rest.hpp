// Rest of a machine with sampled controllers (docs/theory/26_rest_of_controllers.md, section 26.3): what they
// remember is unknown beside positions, states, multipliers and signals,
//
//     r(value, m) = 0,   Φ(m, u) − m = 0                                                       (26.3)
//
// with Φ what one instant makes of the memory m at the inputs u.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "control/blocks/block_set.hpp"
#include "solve/balance/equilibrium.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

class SampledRest final : public solve::FurtherUnknowns {
 public:
  // The constraints that depend on each other must live as long as this.
  SampledRest(system::Assembler& assembler, const control::BlockSet& blocks,
              const std::vector<solve::DependentRow>& dependent);

  // As solve::findEquilibrium, on the branches that the state has.
  [[nodiscard]] solve::EquilibriumReport find(system::State& state,
                                              const solve::EquilibriumOptions& options);

  // About black boxes that keep their outputs, by what was found last.
  const std::vector<std::string>& notes() const { return notes_; }

  int size() const override { return memory_; }
  std::string name(int k) const override;
  std::vector<double> rateFactors() const override;
  void calc(const system::State& state, Eigen::VectorXd& residual, Triplets& entries) override;
  double value(const system::State& state, int k) const override;
  void setValue(int k, double value, system::State& state) const override;

 private:
  // The memory of one block among the unknowns; of a black box its outputs.
  struct Part {
    int element = 0;
    int first = 0, count = 0;
    bool isBox = false;
    std::vector<bool> isRead{};  // by output
  };
  // What a black box comes to at constant inputs, and its slopes.
  struct Rest {
    bool isSettled = false;
    Eigen::VectorXd outputs;
    Eigen::MatrixXd slopes;
  };

  const Part& partOf(int k) const;
  void addPart(const Part& part, const system::Motion& motion, system::State& state,
               Triplets& entries);
  void addBox(const Part& part, const std::vector<double>& inputs, system::State& state,
              Triplets& entries);
  const Rest& findRest(const Part& part, const std::vector<double>& inputs,
                       const system::State& state);
  void addInputs(const Part& part, const Eigen::MatrixXd& slopes, Triplets& entries) const;
  bool settleBox(const Part& part, const std::vector<double>& inputs, system::State& state,
                 Eigen::VectorXd& outputs);
  int findRestless(const system::State& state);
  solve::EquilibriumReport failForGrowth(int k, const system::State& state,
                                         solve::EquilibriumReport report);
  std::vector<int> findIdle(const system::State& state);
  void keepIdle(const system::State& start, system::State& state);

  system::Assembler& assembler_;
  const control::BlockSet& blocks_;
  const std::vector<solve::DependentRow>& dependent_;
  std::vector<Part> parts_;
  std::map<std::pair<int, std::vector<double>>, Rest> boxes_;  // by element and inputs
  int unknowns_ = 0, memory_ = 0;
  Eigen::VectorXd residual_;  // of the memories, while they are calculated
  std::vector<std::string> notes_;
};

}  // namespace flexloop::analysis
