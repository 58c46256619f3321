// Ends of branches that nothing notices between two samples, as those of an encoder that sampled controllers alone read: what
// is read at an instant is right without a step that ends where the branch does (docs/theory/15_discontinuous_blocks.md,
// section 15.7).
#pragma once

#include <vector>

#include "system/system.hpp"

namespace flexloop::analysis {

// By indicator of the system.
std::vector<bool> findIdleEvents(const system::System& system);

}  // namespace flexloop::analysis
