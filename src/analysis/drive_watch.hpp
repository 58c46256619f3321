// Drives that jump inside of a step, as a formula with floor or sign does without a word: no force moves a body at once,
// so the run ends there (docs/theory/09_time.md, section 9.5).
#pragma once

#include <string>

#include "solve/mass_system.hpp"

namespace flexloop::analysis {

// The joint whose prescribed position jumps between the ends of a step, with what helps; or nothing. Looked at more closely
// is only where a position does not change as its rate says.
[[nodiscard]] std::string findDriveJump(const system::System& system, solve::SignalSystem& signals,
                                        const system::State& from, const system::State& to);

}  // namespace flexloop::analysis
