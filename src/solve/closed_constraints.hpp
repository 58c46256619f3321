// Positions that satisfy the constraints, and velocities that keep them (docs/theory/09_time.md, section 9.4), as near to what is given
// as the mass allows.
#pragma once

#include "solve/prepared_machine.hpp"
#include "solve/start_report.hpp"

namespace flexloop::solve {

// False, with the failure in the report, where they cannot be found.
[[nodiscard]] bool closePositions(PreparedMachine& machine, system::State& state,
                                  StartReport& report);

// After an update of the mass system at the state. Motions take over the rates of the signals that drive them.
void closeVelocities(PreparedMachine& machine, system::State& state, StartReport& report);

}  // namespace flexloop::solve
