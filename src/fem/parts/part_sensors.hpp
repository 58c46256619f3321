// Registers sensors of mesh nodes of a part: their motion, deformation and stress.
#pragma once

#include "system/registry.hpp"

namespace flexloop::fem {

void registerPartSensors(system::Registry& registry);

}  // namespace flexloop::fem
