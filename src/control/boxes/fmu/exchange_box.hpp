// An FMU for model exchange: its states are unknowns of the machine, and its events are branches of a block
// (docs/theory/37_foreign_models.md, section 37.3).
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "control/blocks/block.hpp"
#include "control/boxes/box_point.hpp"
#include "control/boxes/box_runner.hpp"

namespace flexloop::control {

// The memory is whether the FMU has had the event of its start, how many events there were, the time of the next
// one, the signs of the indicators, and the jumps of the states so far; the record is the state of the FMU after
// the last event, if it can be saved.
class ExchangeBox final : public Block {
 public:
  struct Settings {
    // By row (derivatives, then outputs) and column (states, then inputs): whether the FMU says that one depends on
    // the other.
    std::vector<bool> uses;
    bool needsStepDone = false;
  };
  ExchangeBox(BoxRunner runner, Settings settings);

  BlockSize size() const override;
  bool uses(int row, int column) const override;
  void calc(const BlockPorts<double>& p) const override;
  void calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const override;
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override;
  void remember(const BlockPorts<double>& p, BlockMemory m) const override;

  int indicators() const override { return kOwnIndicators + indicators_; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override;
  void switchBranches(const BlockPorts<double>& p, BlockMemory m) const override;

  // Whether a record, from a file, is one that the block may have made.
  bool isRecord(const std::vector<double>& record) const;
  bool canGoBack() const override { return runner_.canRestore(); }
  std::optional<base::Failure> fault() const override { return runner_.fault(); }

 private:
  enum Memory { kHasStarted, kEvents, kHasNextTime, kNextTime, kLists };
  static constexpr int kOwnIndicators = 2;  // its start, and the next time
  using Numbers = std::span<const double>;

  bool isReady(const BlockPorts<double>& p) const;
  Numbers signsOf(const double* memory) const { return {memory + kLists, indicatorCount()}; }
  Numbers jumpsOf(const double* memory) const {
    return {memory + kLists + indicators_, static_cast<std::size_t>(states_)};
  }
  std::size_t indicatorCount() const { return static_cast<std::size_t>(indicators_); }
  Numbers memoryOf(const BlockPorts<double>& p) const {
    return {p.memory, static_cast<std::size_t>(kLists + indicators_ + states_)};
  }
  Numbers recordOf(const std::vector<double>* record) const {
    return record != nullptr ? Numbers(*record) : Numbers();
  }
  // (37.5)
  void calcInnerStates(Numbers x, const double* memory) const;
  void makeEvent(const BlockPorts<double>& p, BlockMemory m) const;
  void readJacobian(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;
  void calcDifferences(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;
  void checkUses(Eigen::MatrixXd& J) const;

  mutable BoxRunner runner_;
  Settings settings_;
  int states_, inputs_, outputs_, indicators_;
  mutable std::vector<double> inner_;    // states of the FMU
  mutable std::vector<double> results_;  // f and h, one behind the other
  mutable std::vector<double> z_, info_;
  mutable std::vector<BoxTrial> trials_;
  // The last questions and their answers; that of calc is in results_.
  mutable BoxPoint lastPoint_, lastPartialsPoint_, lastIndicatorsPoint_;
  mutable Eigen::MatrixXd lastPartials_;
};

}  // namespace flexloop::control
