// Instants at which signals jump, and with them accelerations, multipliers and the rates of driven joints.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "solve/prepared_machine.hpp"

namespace flexloop::solve {

struct JumpReport {
  bool restarted = false;  // signals have changed, be it by their last digits
  std::optional<base::Failure>
      failure;  // the signals could not be solved, or a prescribed position jumps
};

// At an instant at which signals may jump, because a source does, a branch has switched, or sampled
// blocks act (those whose clocks are due): their new values, and the accelerations and
// multipliers that go with them where the jump is more than round-off. Samplers read the machine as it is just
// before. A joint whose prescribed position jumps is reported: no force can bring that about.
[[nodiscard]] JumpReport restartAfterJump(PreparedMachine& machine, system::State& state,
                                          const std::vector<bool>& dueClocks = {},
                                          bool mustRestart = false);

// Rates of the signals that drive joints.
std::vector<double> calcDriveRates(PreparedMachine& machine, system::State state);
// Whether rates of driven joints jump, by more than round-off.
bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after);

}  // namespace flexloop::solve
