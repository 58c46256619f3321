#include "mechanics/friction/friction_maker.hpp"
#include "mechanics/friction/tooth_friction.hpp"

namespace flexloop::mechanics {

namespace {

// (41.3) where the force of the mesh is a signal; nothing of it is an impulse.
struct ToothLoad : MeshLoad {
  static constexpr bool kAreMultipliers = false;
};

template <class Load>
void addFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                 system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                 system::Builder& builder) {
  using Place = OnJoint<RotationCoordinate>;
  const PlaceInMachine<Place> at{c.nodes, {}, {c.frames, threadOf<RotationCoordinate>(shaft)}};
  const auto made = addDry<Place, Load>(joint.name(), at, {losses.driving, losses.driven, factor},
                                        {force}, builder);
  builder.attach("joints", joint.name() + "/rotation friction", made);
}

}  // namespace

void addMeshFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                     system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                     system::Builder& builder) {
  addFriction<MeshLoad>(joint, losses, factor, force, shaft, c, builder);
}

void addToothFriction(const system::Item& joint, const MeshLosses& losses, double factor,
                      system::UnknownIndex force, const system::Item& shaft, const Connection& c,
                      system::Builder& builder) {
  addFriction<ToothLoad>(joint, losses, factor, force, shaft, c, builder);
}

}  // namespace flexloop::mechanics
