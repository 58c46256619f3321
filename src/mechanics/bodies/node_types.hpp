// Section `nodes` of the model language.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerNodes(system::Registry& registry);

}  // namespace flexloop::mechanics
