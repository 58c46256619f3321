// What a body of the model language says of its inertia.
#pragma once

#include "math/se3.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// The tensor about the centre of mass, in the axes of the node; zero where none is given.
math::Mat3<double> readInertia(const system::Item& body);

}  // namespace flexloop::mechanics
