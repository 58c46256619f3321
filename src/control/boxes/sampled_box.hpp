// A black box with a clock (docs/theory/16_sampled_blocks.md, section 16.4): it is called once at every
// instant.
#pragma once

#include <optional>
#include <utility>

#include "base/result.hpp"
#include "control/boxes/box_memory.hpp"
#include "control/boxes/box_runner.hpp"
#include "control/sampled/sampled.hpp"

namespace flexloop::control {

// The memory is the outputs, then how often the box has been called; the record is the memory of the
// box after the last call, if it can be saved.
class SampledBox final : public SampledBlock {
 public:
  SampledBox(int clock, BoxRunner runner)
      : SampledBlock(clock, {.inputs = runner.settings().inputs,
                             .outputs = runner.settings().outputs,
                             .memory = runner.settings().outputs + 1,
                             .hasRecord = runner.canRestore()}),
        runner_(std::move(runner)) {}

  void sample(const BlockPorts<double>& p, BlockMemory m) const override;
  // Whether a record, from a file, is one that the block may have made.
  bool isRecord(const std::vector<double>& record) const { return arePacked(record); }
  bool hasHiddenMemory() const override { return true; }
  bool isBox() const override { return true; }
  bool canGoBack() const override { return runner_.canRestore(); }
  std::optional<base::Failure> fault() const override { return runner_.fault(); }
  // See BoxForm.
  double precision() const;

 private:
  bool canContinue(double calls) const;

  mutable BoxRunner runner_;
};

}  // namespace flexloop::control
