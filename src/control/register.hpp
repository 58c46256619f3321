// Everything that a model can be made of in this folder: blocks and actuators.
#pragma once

#include "system/registry.hpp"

namespace flexloop::control {

void registerControl(system::Registry& registry);

}  // namespace flexloop::control
