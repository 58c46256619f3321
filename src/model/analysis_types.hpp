// The section `analysis` of the model language: its kinds, their parameters and what they mean.
#pragma once

#include <string_view>

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "model/mode_settings.hpp"
#include "model/time_settings.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

// The kinds of analysis.
inline constexpr const char *kTimeAnalysis = "time", *kModeAnalysis = "modes",
                            *kEquilibriumAnalysis = "equilibrium";
// What a model says of one; null if it says nothing.
const system::Item* findAnalysis(const Description& description, std::string_view kind);

void registerAnalyses(system::Registry& registry);

// From an item of `analysis: time`; what cannot be right is reported.
// `nodes` are those of the model without ground.
TimeSettings readTimeSettings(const system::Item& item, std::size_t nodes,
                              base::Diagnostics& diagnostics);
// From an item of `analysis: modes`.
ModeSettings readModeSettings(const system::Item& item);

}  // namespace flexloop::model
