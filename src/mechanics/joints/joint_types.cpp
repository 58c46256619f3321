#include "mechanics/joints/joint_types.hpp"

#include "mechanics/gears/gear_maker.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/springs/line.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::UnknownIndex;

namespace {

template <class Rows>
void makeJoint(const Item& item, Builder& builder) {
  makeRows<Rows>(item, builder);
}

template <class Rows, class Coordinate>
void makeJointWithCoordinate(const Item& item, Builder& builder) {
  const auto c = makeRows<Rows>(item, builder);
  if (c) addOptions<Coordinate>(item, item, *c, builder);
}

void makeCylindrical(const Item& item, Builder& builder) {
  const auto c = makeRows<CylindricalRows>(item, builder);
  if (!c) return;
  if (item.has("rotation")) {
    addOptions<RotationCoordinate>(item, item.child("rotation"), *c, builder);
  }
  if (item.has("translation")) {
    addOptions<TranslationCoordinate>(item, item.child("translation"), *c, builder);
  }
}

// A thread loses the same torque in both directions: η_b = 2 − 1/η.
double threadBackward(double forward) {
  return 2.0 - 1.0 / forward;
}

void addThreadLosses(const Item& item, const Connection& c, UnknownIndex lambda, Builder& builder) {
  const MeshLosses losses = readLosses(item, threadBackward);
  if (!losses.areAny()) return;
  for (const char* key : {"friction", "drive", "locked"}) {
    if (!item.has(key) || (key == std::string("locked") && !item.boolean(key, false))) continue;
    return builder.error(
        item.placeOf("efficiency"),
        "joints." + item.name() + ": 'efficiency' cannot be combined with '" + key + "'",
        "remove one of them");
  }
  addMeshFriction(item, losses, -pitchOf(item), lambda, item, c, builder);
}

void makeScrew(const Item& item, Builder& builder) {
  const auto c = makeRows<CylindricalRows>(item, builder);
  if (!c) return;
  auto& set = builder.elements<ScrewThread>();
  const UnknownIndex lambda = addMultiplier(builder, item.name(), "thread force", "thread");
  const double pitch = pitchOf(item);
  AngleCounters::Counter& turns = findTurns("joints", item.name(), *c, builder);
  turns.thread = {1.0, 1.0 / pitch};
  builder.attach(
      "joints", item.name() + "/thread",
      {&set, set.add(item.name(), c->nodes, {lambda}, {c->frames, pitch}, turns.history)});
  addOptions<RotationCoordinate>(item, item, *c, builder);
  addThreadLosses(item, *c, lambda, builder);
}

void makeDistance(const Item& item, Builder& builder) {
  const auto line = findLine(item, builder);
  if (!line) return;
  auto& set = builder.elements<DistanceRow>();
  const UnknownIndex lambda = addMultiplier(builder, item.name(), "tension", "length");
  const double length = item.number("length", line->length);
  builder.attach("joints", item.name(),
                 {&set, set.add(item.name(), line->nodes, {lambda}, {line->points, length})});
}

}  // namespace

void registerJoints(system::Registry& registry) {
  const auto add = [&](const char* type, void (*make)(const Item&, Builder&)) {
    system::TypeEntry entry = describeJoint(type);
    entry.make = make;
    registry.add(std::move(entry));
  };
  add("hinge", makeJointWithCoordinate<HingeRows, RotationCoordinate>);
  add("slider", makeJointWithCoordinate<SliderRows, TranslationCoordinate>);
  add("cylindrical", makeCylindrical);
  add("universal", makeJoint<UniversalRows>);
  add("spherical", makeJoint<SphericalRows>);
  add("planar", makeJoint<PlanarRows>);
  add("weld", makeJoint<WeldRows>);
  add("screw", makeScrew);
  add("distance", makeDistance);
  add("point_on_line", makeJoint<PointOnLineRows>);
  add("point_on_plane", makeJoint<PointOnPlaneRows>);
}

}  // namespace flexloop::mechanics
