// What sensors measure of a node that slides along a beam. Each function adds the measure of the sensor and says so, or gives
// false where the joint is another one.
#pragma once

#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// The position along the beam since the start, or its first or second derivative.
bool addGuideCoordinate(const system::Item& sensor, const system::Item& joint, int derivative,
                        system::Builder& builder);

// The force of the beam on the node.
bool addGuideForce(const system::Item& sensor, const system::Item& joint, system::Builder& builder);

}  // namespace flexloop::mechanics
