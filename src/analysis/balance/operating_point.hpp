// The state about which a model is linearised: its start, its equilibrium, or where a simulation is at
// some time. All are consistent: accelerations, multipliers and signals are those of the motion.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

struct OperatingState {
  std::optional<base::Failure> failure;
  std::vector<std::string> notes;  // what is not exactly as it should be at an equilibrium
  system::State state;

  bool ok() const { return !failure; }
};

[[nodiscard]] OperatingState findOperatingPoint(const model::Model& model,
                                                const model::OperatingPoint& point);

// Simulates the model and hands over its state at each of the times (ascending). The report is of the
// whole run; its state is the last.
[[nodiscard]] OperatingState visitStates(
    const model::Model& model, const std::vector<double>& times,
    const std::function<void(const system::State& state)>& visit);

}  // namespace flexloop::analysis
