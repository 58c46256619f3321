// Registers `parts`, the flexible parts from finite elements.
#pragma once

#include "system/registry.hpp"

namespace flexloop::fem {

void registerParts(system::Registry& registry);

}  // namespace flexloop::fem
