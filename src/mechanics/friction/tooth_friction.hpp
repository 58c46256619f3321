// The losses of teeth that yield (docs/theory/41_losses_and_latches.md, section 41.1): as addMeshFriction, where the force of the mesh is a signal and not a
// multiplier.
#pragma once

#include "mechanics/friction/friction.hpp"

namespace flexloop::mechanics {

void addToothFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                      system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                      system::Builder& builder);

}  // namespace flexloop::mechanics
