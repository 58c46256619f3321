// The sources among the blocks: signals that depend on time only.
#pragma once

#include "system/registry.hpp"

namespace flexloop::control {

void registerSources(system::Registry& registry);

}  // namespace flexloop::control
