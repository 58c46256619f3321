#include "mechanics/friction/friction_maker.hpp"

namespace flexloop::mechanics {

void addMeshFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                     system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                     system::Builder& builder) {
  using Place = OnJoint<RotationCoordinate>;
  const PlaceInMachine<Place> at{c.nodes, {}, {c.frames, threadOf<RotationCoordinate>(shaft)}};
  const auto made = addDry<Place, MeshLoad>(
      joint.name(), at, {losses.driving, losses.driven, factor}, {force}, builder);
  builder.attach("joints", joint.name() + "/rotation friction", made);
}

}  // namespace flexloop::mechanics
