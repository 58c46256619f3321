// Section `beams` of the model language, and the sensors that read beams.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerBeams(system::Registry& registry);

}  // namespace flexloop::mechanics
