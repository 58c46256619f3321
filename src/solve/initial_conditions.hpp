// A consistent start: positions that satisfy the constraints, velocities that keep them, and the
// accelerations and multipliers that follow (docs/theory/09_time.md, section 9.4). What the user gave
// is changed as little as possible, measured by the mass, and the change is reported.
#pragma once

#include "solve/prepared_machine.hpp"
#include "solve/start_report.hpp"

namespace flexloop::solve {

[[nodiscard]] StartReport makeConsistent(PreparedMachine& machine, system::State& state);

// Lets the velocities follow rates of driven joints that have jumped, and accelerations with them.
[[nodiscard]] bool followDriveRates(PreparedMachine& machine, system::State& state);

}  // namespace flexloop::solve
