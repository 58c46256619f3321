// The sensors `section_force` and `section_strain` of beams.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerBeamSensors(system::Registry& registry);

}  // namespace flexloop::mechanics
