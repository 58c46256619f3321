// Accelerations as calcAccelerations finds them (initial_conditions.hpp), but for second derivatives of drives that follow from
// accelerations and forces: these are what those of before make of them.
#pragma once

#include "solve/prepared_machine.hpp"

namespace flexloop::solve {

[[nodiscard]] bool calcAccelerationsWithoutAnswers(PreparedMachine& machine, system::State& state);

}  // namespace flexloop::solve
