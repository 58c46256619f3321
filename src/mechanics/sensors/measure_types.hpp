// Section `sensors`: what can be measured in a mechanism.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerMeasures(system::Registry& registry);

}  // namespace flexloop::mechanics
