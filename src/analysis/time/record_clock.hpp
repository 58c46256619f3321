// Which steps of a run are recorded: all, every n-th, or those at even distances in time.
#pragma once

#include <cstdint>

#include "analysis/time/step_control.hpp"
#include "model/time_settings.hpp"

namespace flexloop::analysis {

// Asked once for each step.
class RecordClock {
 public:
  explicit RecordClock(const model::RecordSettings& settings) : settings_(settings) {}

  bool isDue(const StepTarget& target) {
    if (settings_.interval > 0.0) return target.isRecord;
    return target.isRegular && ++steps_ % settings_.every == 0;
  }

  // For a checkpoint, and back.
  std::int64_t steps() const { return steps_; }
  void restore(std::int64_t steps) { steps_ = steps; }

 private:
  model::RecordSettings settings_;
  std::int64_t steps_ = 0;
};

}  // namespace flexloop::analysis
