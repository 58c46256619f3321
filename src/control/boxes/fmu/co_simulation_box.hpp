// An FMU for co-simulation: a sampled block whose outputs follow from the inputs of the instant before
// (docs/theory/37_foreign_models.md, section 37.2).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "control/boxes/box_memory.hpp"
#include "control/boxes/box_runner.hpp"
#include "control/sampled/sampled.hpp"

namespace flexloop::control {

// The memory is the outputs, how often the FMU has been called, and the inputs of the last instant; the record is
// the state of the FMU after the last call, if it can be saved.
class CoSimulationBox final : public SampledBlock {
 public:
  // With feedthrough the outputs at the first instant follow from the inputs at that instant, and otherwise from
  // those that the memory starts with.
  CoSimulationBox(int clock, BoxRunner runner, bool hasFeedthrough)
      : SampledBlock(clock, {.inputs = runner.settings().inputs,
                             .outputs = runner.settings().outputs,
                             .memory = runner.settings().outputs + 1 + runner.settings().inputs,
                             .hasRecord = runner.canRestore()}),
        runner_(std::move(runner)),
        hasFeedthrough_(hasFeedthrough) {}

  // What the memory starts with.
  static std::vector<double> makeMemory(int outputs, const std::vector<double>& startInputs);

  bool samplesInputs() const override { return hasFeedthrough_; }
  void sample(const BlockPorts<double>& p, BlockMemory m) const override;
  void updateSample(const BlockPorts<double>& p, BlockMemory m) const override;
  // Whether a record, from a file, is one that the block may have made.
  bool isRecord(const std::vector<double>& record) const { return arePacked(record); }
  bool hasHiddenMemory() const override { return true; }
  bool isBox() const override { return true; }
  bool canGoBack() const override { return runner_.canRestore(); }
  std::optional<base::Failure> fault() const override { return runner_.fault(); }

 private:
  bool canContinue(double calls) const;

  mutable BoxRunner runner_;
  bool hasFeedthrough_;
};

}  // namespace flexloop::control
