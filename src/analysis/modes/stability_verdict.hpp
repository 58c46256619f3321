// Whether anything grows, of all modes and not only of those that are listed.
#pragma once

#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::analysis {

// Of a result that knows how its roots were found. Those that grow are added to the roots, wherever they are.
void judgeStability(const LinearModel& linear, const ModeOptions& options,
                    const system::System& system, std::vector<linalg::Eigenpair>& pairs,
                    ModeResult& result);

}  // namespace flexloop::analysis
