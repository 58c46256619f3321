// A run that begins at another time than zero: the initial values hold there, and sources have gone on until then.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

// Why a run of this model cannot begin at that time; nothing if it can.
[[nodiscard]] std::optional<base::Failure> describeNoLateStart(const model::Model& model,
                                                               double time);

// Moves the start of a model: what blocks remember of the time before it ends there.
void beginAt(const system::System& system, double time, system::State& start);

}  // namespace flexloop::analysis
