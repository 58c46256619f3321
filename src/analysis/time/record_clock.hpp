// Which steps of a run are recorded: all, every n-th, or those at even distances in time.
#pragma once

#include <cstdint>
#include <vector>

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

  std::vector<double> position() const { return {static_cast<double>(steps_)}; }
  void restore(const std::vector<double>& position) {
    steps_ = static_cast<std::int64_t>(position.at(0));
  }

 private:
  model::RecordSettings settings_;
  std::int64_t steps_ = 0;
};

}  // namespace flexloop::analysis
