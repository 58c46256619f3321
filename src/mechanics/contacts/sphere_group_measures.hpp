// What sensors read of a group of spheres. Its elements come and go, so these are recorded and are no signals.
#pragma once

#include <cstdint>
#include <memory>

#include "mechanics/contacts/sphere_group.hpp"
#include "system/measure.hpp"

namespace flexloop::mechanics {

enum class GroupQuantity : std::uint8_t {
  kDepth,     // of the deepest contact; without any it is minus the smallest gap in the list
  kNormal,    // sum of the sizes of normal forces
  kFriction,  // of friction
  kSticking,  // one if something touches and nothing slides
};

// Null where the contact is no group.
std::unique_ptr<system::Measure> makeGroupMeasure(const system::Builder& builder,
                                                  const std::string& contact,
                                                  GroupQuantity quantity);

}  // namespace flexloop::mechanics
