// Accelerations, rates of states, multipliers and signals of a state whose positions and velocities are consistent
// (docs/theory/09_time.md, section 9.4).
#pragma once

#include "solve/prepared_machine.hpp"

namespace flexloop::solve {

// False if the mass system cannot be solved.
[[nodiscard]] bool calcAccelerations(PreparedMachine& machine, system::State& state);

// The same but for second derivatives of drives that follow from accelerations and forces: these are what those of before
// make of them.
[[nodiscard]] bool calcAccelerationsWithoutAnswers(PreparedMachine& machine, system::State& state);

}  // namespace flexloop::solve
