// `friction: {…}` on a coordinate of a joint (docs/theory/32_friction.md).
#pragma once

#include "mechanics/springs/connection.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::mechanics {

// The parameter `friction` of a rotation or a translation.
system::Parameter frictionParameter(bool turns);

// What `options` say about the friction on a coordinate of the joint. Reports what is wrong.
template <class Coordinate>
void addFriction(const system::Item& joint, const system::Item& options, const Connection& c,
                 system::Builder& builder);

// What is the same for both coordinates: the law, or nothing after a mistake, which has been reported.
struct FrictionChoice {
  double kinetic = 0.0, held = 0.0, arm = 1.0;
  double stribeckSpeed = 0.0, exponent = 1.0;  // no speed: none
  double viscous = 0.0;
  bool isFromReaction = false;
  double bristleStiffness = 0.0, bristleDamping = 0.0;  // no stiffness: not that law
};
std::optional<FrictionChoice> readFriction(const system::Item& joint, const system::Item& options,
                                           bool turns, system::Builder& builder);

}  // namespace flexloop::mechanics
