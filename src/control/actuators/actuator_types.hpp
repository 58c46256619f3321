// Section `actuators`: signals that become forces, torques and prescribed motions.
#pragma once

#include "system/registry.hpp"

namespace flexloop::control {

void registerActuators(system::Registry& registry);

}  // namespace flexloop::control
