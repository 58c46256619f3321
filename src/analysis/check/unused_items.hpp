// What a model defines and never needs, and controllers whose outputs or integrals lead to nothing good.
#pragma once

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::analysis {

// Warnings, of the model's own file only: one that is included may define more than is needed.
void warnOfUnusedItems(const model::Description& description, const system::Registry& registry,
                       base::Diagnostics& diagnostics);

// Integrals that grow while a limit behind them holds the output, and those of sources that do not return to
// zero, on their way to a force. Whether a loop is bounded is not looked at: its modes say so.
void warnOfUnlimitedSignals(const model::Description& description, const system::Registry& registry,
                            base::Diagnostics& diagnostics);

}  // namespace flexloop::analysis
