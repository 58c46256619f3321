// The roots of a machine that modes are made of (docs/theory/18_eigenproblem.md): all of a small one, of a large one the nearest,
// with delays those that are asked for.
#pragma once

#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::analysis {

// Those at zero once. The result gets what is to be said of them, and the failure.
std::vector<linalg::Eigenpair> findPencilRoots(const LinearModel& linear,
                                               const ModeOptions& options,
                                               const system::System& system, ModeResult& result);

}  // namespace flexloop::analysis
