// The mechanism by which joints are moved to their starts (docs/theory/26_rest_of_controllers.md, section 26.5).
#pragma once

#include <vector>

#include "model/description.hpp"
#include "model/start/joint_ties.hpp"
#include "model/start/start_coordinate.hpp"
#include "system/system.hpp"

namespace flexloop::model {

bool haveLoops(const std::vector<StartCoordinate>& coordinates);

// From this time on, parts of the way to the start are gone anew, beyond it if need be.
inline constexpr double kDetour = 2.0;

// The machine of nodes, bodies, beams, parts and joints alone, with the prescribed coordinates driven from where the nodes
// are placed, at t = 0, to their start, at t = 1, where they have their rate. At t = kDetour + f they are at the part f of
// their start.
Description makeStartMechanism(const Description& description,
                               const std::vector<StartCoordinate>& coordinates,
                               const JointTies& ties, const system::System& system,
                               Prescribed prescribed);

}  // namespace flexloop::model
