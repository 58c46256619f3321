// Drives whose position or velocity jumps inside of a step, as a formula with floor or abs and a lookup table do without a word.
// No force moves a body at once, so the run ends at a jump of the position; at one of the velocity forces are those of a
// blow, and the run says so (docs/theory/09_time.md, section 9.5).
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "solve/mass_system.hpp"

namespace flexloop::analysis {

struct DriveJumps {
  std::optional<base::Failure> position;  // the joint and the jump
  std::string velocity;                   // the joint and the jump
  double before = 0.0, after = 0.0;       // [s] times on both sides of the jump of the velocity
};

// Between the ends of a step. Looked at more closely is only where a position does not change as its rate says.
[[nodiscard]] DriveJumps findDriveJumps(const system::System& system, solve::SignalSystem& signals,
                                        const system::State& from, const system::State& to);

}  // namespace flexloop::analysis
