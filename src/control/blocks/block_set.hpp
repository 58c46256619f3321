// All blocks of a model as elements. The local unknowns of a block are its states, its outputs and the
// signals at its inputs, in this order, and its rows are (12.1) as residuals:
//
//     (12.2)  r_x = x' − f(t, x, u),   r_y = y − h(t, x, u)
//
// A signal may enter with a negative sign.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/workspace_pool.hpp"
#include "control/blocks/block.hpp"
#include "control/blocks/state_settlement.hpp"
#include "control/discontinuous/kinks.hpp"
#include "system/element_roles.hpp"
#include "system/inner_states.hpp"
#include "system/system.hpp"

namespace flexloop::control {

struct BlockInput {
  system::UnknownIndex signal;
  double sign = 1.0;
};

// y(t) = sign · u(t − delay), of two signals.
struct DelayedSignal {
  system::UnknownIndex output, input;
  double sign = 1.0;
  double delay = 0.0;  // [s]
};

// What a block sees at an instant, in numbers of its own.
struct BlockReading {
  BlockReading() = default;
  BlockReading(BlockReading&&) = default;
  BlockReading& operator=(BlockReading&&) = default;

  std::vector<double> x, u, dx, y;
  BlockPorts<double> ports;  // they point into the lists
};

class BlockSet final : public system::ElementSet,
                       public system::Remembering,
                       public system::Branching,
                       public system::Sampling,
                       public system::InnerStates,
                       public system::Foreign {
 public:
  struct Wiring {
    std::vector<system::UnknownIndex> states, outputs;
    std::vector<BlockInput> inputs;
    int memory = 0;   // offset in the history
    int record = -1;  // index, -1: none
  };

  int add(std::string name, std::unique_ptr<Block> block, const Wiring& wiring);

  const Block& block(int element) const { return *blocks_[element].block; }
  int inputs(int element) const { return blocks_[element].size.inputs; }
  int states(int element) const { return blocks_[element].size.states; }
  int outputs(int element) const { return blocks_[element].size.outputs; }
  system::UnknownIndex input(int element, int k) const;
  system::UnknownIndex output(int element, int k) const;
  double sign(int element, int input) const;
  // What is delayed exactly; see Block::delay.
  std::vector<DelayedSignal> delays() const;
  // The blocks that have a clock.
  const std::vector<int>& sampled() const { return sampled_; }
  int record(int element) const { return blocks_[element].record; }
  // The level at which a sampled block acts; see Sampling.
  void setSampleLevel(int element, int level);
  int sampleLevel(int element) const { return blocks_[element].level; }

  std::string_view type() const override { return "block"; }
  int size() const override { return static_cast<int>(blocks_.size()); }
  int scalars(int element) const override;
  bool usesRate() const override { return true; }
  bool usesAcceleration() const override { return false; }
  bool couples(int element, int row, int column) const override;
  const std::string& name(int element) const override { return names_[element]; }
  system::UnknownIndex scalar(int element, int k) const override;
  int historyOffset(int element) const { return blocks_[element].memory; }

  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override;
  void calcResidual(const system::Motion& motion, const system::Environment& environment,
                    int element, Eigen::VectorXd& local) const override;
  void calcTangents(const system::Motion& motion, const system::Environment& environment,
                    int element, system::Tangents& tangents) const override;
  void addTimeDerivatives(const system::Motion& motion, const system::Environment& environment,
                          system::TimeDerivatives& derivatives) const override;

  void updateHistory(const system::Motion& motion, system::State& state) const override;
  void forgetPast(system::State& state) const override;
  // See Block: for those that remember anything; `settleAtRest` of one of them, and whether it changed.
  const std::vector<int>& remembering() const { return remembering_; }
  void beginRest(const system::Motion& motion, system::State& state) const;
  bool settleAtRest(const system::Motion& motion, int element, system::State& state) const;
  void endRest(const system::Motion& motion, system::State& state) const;
  // Puts the blocks that have a mean line on it; their elements.
  std::vector<int> takeMeanLines(system::State& state) const;
  // Where an element is on the border between two branches; `steps` by input, see kinks.hpp.
  std::vector<Kink> findKinks(const system::Motion& motion, int element,
                              const std::vector<double>& steps) const;
  // What an element sees and what it remembers.
  BlockReading read(int element, const system::Motion& motion) const;
  BlockMemory memory(int element, system::State& state) const {
    return memoryOf(blocks_[element], state);
  }
  int indicators() const override { return indicators_; }
  bool isLocated(int indicator) const override { return located_[indicator]; }
  void calcIndicators(const system::Motion& motion, double* values) const override;
  void switchBranches(const system::Motion& motion, system::State& state) const override;
  int sampleLevels() const override { return sampleLevels_; }
  void sample(const system::Motion& motion, const std::vector<bool>& dueClocks, int level,
              system::State& state) const override;
  void updateSamples(const system::Motion& motion, const std::vector<bool>& dueClocks,
                     system::State& state) const override;
  bool hasInnerStates() const override { return !inner_.empty(); }
  bool settleStates(const system::Motion& motion, const system::InnerWeights& weights,
                    const std::vector<bool>* chosen, Eigen::VectorXd& corrections) const override;
  std::optional<base::Failure> fault() const override;

 private:
  struct Entry {
    std::unique_ptr<Block> block;
    BlockSize size;
    int unknowns = 0;  // where its unknowns start in unknowns_: states, outputs, inputs
    int memory = 0;
    int record = -1;
    int clock = -1;
    int level = 0;
  };

  template <class S>
  struct Values {
    std::vector<S> x, u, dx, y;
    void makeRoom(const BlockSize& size);
  };
  struct Workspace {
    Values<double> numbers;
    Values<math::Taylor2> along;
    Eigen::MatrixXd partials;
    StateSettlement settlement;
  };
  using Loan = base::WorkspacePool<Workspace>::Loan;

  bool hasChosenState(const Entry& entry, const std::vector<bool>& chosen) const;
  bool settleStatesOf(const Entry& entry, const system::Motion& motion,
                      const system::InnerWeights& weights, Workspace& workspace,
                      Eigen::VectorXd& corrections) const;
  Loan borrow() const { return workspaces_.borrow(); }
  // The ports of a block with its inputs read; they point into the values.
  BlockPorts<double> read(const Entry& entry, const system::Motion& motion,
                          Values<double>& values) const;
  BlockPorts<math::Taylor2> readAlong(const Entry& entry, const system::Motion& motion,
                                      Values<math::Taylor2>& values) const;
  static BlockMemory memoryOf(const Entry& entry, system::State& state);

  std::vector<Entry> blocks_;
  std::vector<std::string> names_;
  std::vector<int> unknowns_;
  std::vector<double> signs_;  // beside unknowns_; one for states and outputs
  std::vector<bool> located_;
  // Most blocks do nothing of this.
  std::vector<int> remembering_, switching_, sampled_, inner_;
  int indicators_ = 0;
  int sampleLevels_ = 0;
  mutable base::WorkspacePool<Workspace> workspaces_;
};

// The blocks of a system; none: null.
const BlockSet* findBlocks(const system::System& system);

}  // namespace flexloop::control
