// `friction: {…}` on a coordinate of a joint (docs/theory/32_friction.md).
#pragma once

#include <optional>

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
  std::optional<system::UnknownIndex> load;  // the signal that presses in place of the reaction
  bool hasGivenLoad = false;                 // a number presses, which is part of both levels
  double bristleStiffness = 0.0, bristleDamping = 0.0;  // no stiffness: not that law

  bool isOnlyDamper() const { return held == 0.0 && bristleStiffness == 0.0; }
};
std::optional<FrictionChoice> readFriction(const system::Item& joint, const system::Item& options,
                                           bool turns, system::Builder& builder);

// The losses of a mesh that drives or is driven by a rotation (docs/theory/41_losses_and_latches.md): `force` is the multiplier of the mesh, which acts
// against the coordinate with `factor` times it.
struct MeshLosses {
  double driving = 0.0, driven = 0.0;  // c_1 and c_2 of (41.3)

  bool areAny() const { return driving != 0.0 || driven != 0.0; }
};
void addMeshFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                     system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                     system::Builder& builder);

}  // namespace flexloop::mechanics
