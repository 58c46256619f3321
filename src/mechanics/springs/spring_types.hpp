// Section `springs`: springs and dampers between two nodes.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerSprings(system::Registry& registry);

}  // namespace flexloop::mechanics
