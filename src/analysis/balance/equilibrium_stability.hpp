// Whether a machine would stay in an equilibrium.
#pragma once

#include "analysis/modes/mode_analysis.hpp"
#include "model/model.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::analysis {

// The modes that decide: all of a small model, the slowest of a large one.
[[nodiscard]] ModeResult findDecidingModes(const model::Model& model, const system::State& state);

// By these modes; unknown if they were not found.
[[nodiscard]] solve::Stability judgeByModes(const ModeResult& modes);

}  // namespace flexloop::analysis
