// Where a loop with sampled blocks can be cut so that it has one number per sample
// (docs/theory/25_delays_and_samples.md, section 25.8).
#pragma once

#include <vector>

#include "analysis/sampled/sampled_map.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

// Whether some clock is among them.
bool isAny(const std::vector<bool>& clocks);

// Whether held outputs change the signal at the very instant.
bool jumps(const LinearModel& linear, const system::System& system,
           const std::vector<SampledPorts>& blocks, int signal);

// A held signal on which `cut` and nothing else depends, and which is all on which `cut` depends: a factor at one is
// the same factor at the other. -1: there is none.
int findHeldSignalBefore(const model::Model& model, const LinearModel& linear,
                         const std::vector<SampledPorts>& blocks, int cut);

}  // namespace flexloop::analysis
