// Everything that a model can be made of in this folder.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerMechanics(system::Registry& registry);

}  // namespace flexloop::mechanics
