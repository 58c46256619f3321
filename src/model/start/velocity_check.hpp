// Velocities of nodes that the file gives and that joints with a rate of their own change.
#pragma once

#include <vector>

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "model/start/start_coordinate.hpp"
#include "system/system.hpp"

namespace flexloop::model {

// Warns of those that differ at the start. A velocity turns with its node, which is no difference; zero is what nodes have that
// are given none.
void checkNodeVelocities(const Description& description,
                         const std::vector<StartCoordinate>& coordinates,
                         const system::System& system, const system::State& start,
                         base::Diagnostics& diagnostics);

}  // namespace flexloop::model
