// `latch: SIGNAL` on a coordinate of a joint.
#pragma once

#include "mechanics/joints/coordinate_place.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::mechanics {

system::Parameter latchParameter();

// Of a coordinate that is free to move; reports what cannot be combined.
template <class Place>
void addLatch(const system::Item& joint, const system::Item& options,
              const PlaceInMachine<Place>& at, system::Builder& builder);

}  // namespace flexloop::mechanics
