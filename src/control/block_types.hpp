// The types of blocks.
#pragma once

#include "system/registry.hpp"

namespace flexloop::control {

void registerBlocks(system::Registry& registry);

// The parts of registerBlocks.
void registerSources(system::Registry& registry);
void registerAlgebra(system::Registry& registry);
void registerDynamics(system::Registry& registry);
void registerDiscontinuities(system::Registry& registry);
void registerSampled(system::Registry& registry);
void registerBoxes(system::Registry& registry);

}  // namespace flexloop::control
