// Section `bodies` of the model language.
#pragma once

#include "math/se3.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerBodies(system::Registry& registry);

// The tensor about the centre of mass, in the axes of the node; zero where none is given.
math::Mat3<double> readInertia(const system::Item& body);

}  // namespace flexloop::mechanics
