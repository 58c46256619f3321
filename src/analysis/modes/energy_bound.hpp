// A bound on the size of growing roots from the energy of the machine (docs/theory/18_eigenproblem.md, section 18.6). It holds for
// machines of any size, and no root has to be found for it.
#pragma once

#include "analysis/linear/linear_model.hpp"

namespace flexloop::analysis {

// No root with |s| above the result grows; it is not below `least`. Infinite where the energy does not tell: forces without
// a potential, negative damping, or controllers that may feed energy in at all frequencies.
[[nodiscard]] double findGrowthBound(const system::System& system, const LinearModel& linear,
                                     double least);

}  // namespace flexloop::analysis
