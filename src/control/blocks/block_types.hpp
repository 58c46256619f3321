// The types of blocks.
#pragma once

#include <string_view>

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

// Types of blocks whose code is somebody else's.
bool isBoxType(std::string_view type);
// Makes a block with the ports of a black box that gives zeros and starts no code: for a model that is only
// looked at.
void makeBoxStandIn(const system::Item& item, system::Builder& builder);
// The same where all is to be checked that can be without running it: its library must be there.
void makeCheckedBoxStandIn(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::control
