// What `check` finds beyond mistakes of single values: items that cannot work, have no effect or are hardly meant, each
// with its place and a remedy. Only what no run could get over is an error.
#pragma once

#include "base/diagnostics.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"

namespace flexloop::analysis {

base::Diagnostics findDoubts(const model::Model& model, const system::Registry& registry,
                             int mobility);

// Whether a joint's coordinate is prescribed by a signal or locked.
bool hasDrives(const model::Description& description);
bool hasLocks(const model::Description& description);

}  // namespace flexloop::analysis
