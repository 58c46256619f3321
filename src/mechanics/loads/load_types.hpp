// Section `loads`: forces and torques on nodes.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerLoads(system::Registry& registry);

}  // namespace flexloop::mechanics
