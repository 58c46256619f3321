// The types of blocks that look values up.
#pragma once

#include "system/registry.hpp"

namespace flexloop::control {

void registerLookups(system::Registry& registry);

}  // namespace flexloop::control
