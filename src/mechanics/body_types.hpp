// Section `bodies` of the model language.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerBodies(system::Registry& registry);

}  // namespace flexloop::mechanics
