#include "mechanics/joint_types.hpp"

#include <numbers>
#include <variant>

#include "mechanics/connection.hpp"
#include "mechanics/joint_coordinate.hpp"
#include "mechanics/line.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::Kind;
using system::UnknownIndex;

namespace {

constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

UnknownIndex addMultiplier(Builder& builder, const std::string& joint, const std::string& force,
                           const std::string& equation) {
  return builder.addScalar(Kind::kMultiplier, joint + " reaction " + force,
                           joint + ": " + equation);
}

// The axis about which a row e_i·R e_j prevents rotation: the third one.
constexpr int axisOf(const RotationRow& row) { return 3 - row.i - row.j; }

template <class Rows>
std::array<UnknownIndex, Joint<Rows>::kScalars> addMultipliers(Builder& builder,
                                                               const std::string& joint) {
  std::array<UnknownIndex, Joint<Rows>::kScalars> multipliers;
  int row = 0;
  for (int i = 0; i < 3; ++i) {
    if ((Rows::kPositions >> i & 1) == 0) continue;
    const std::string axis = kAxisNames[i];
    multipliers[row++] = addMultiplier(builder, joint, "force " + axis, "position " + axis);
  }
  for (const RotationRow& rotation : Rows::kRotations) {
    const std::string axis = kAxisNames[axisOf(rotation)];
    multipliers[row++] = addMultiplier(builder, joint, "torque " + axis, "rotation " + axis);
  }
  return multipliers;
}

// What `options` say about one coordinate of the joint: itself for a joint with one coordinate, a
// map inside it for a joint with several.
template <class Coordinate>
void addOptions(const Item& joint, const Item& options, const Connection& c, Builder& builder) {
  const std::string& name = joint.name();
  const std::string coordinate = Coordinate::kTurns ? "rotation" : "translation";
  const std::string force = Coordinate::kTurns ? "torque" : "force";
  const std::string partOf = name + "/" + coordinate;
  const bool locked = options.boolean("locked", false);
  if (locked && options.has("drive")) {
    builder.error(options.placeOf("drive"), "joints." + name + ": locked and driven at once",
                  "remove 'locked' or 'drive'");
    return;
  }
  const double stiffness = options.number("stiffness", 0.0);
  const double damping = options.number("damping", 0.0);
  if (stiffness > 0.0 || damping > 0.0) {
    using Spring = CoordinateSpring<Coordinate>;
    auto& set = builder.elements<Spring>();
    const int history = Spring::kHistory > 0 ? builder.addHistory(Spring::kHistory) : 0;
    const double rest = options.number("rest", 0.0);
    const int element =
        set.add(name, c.nodes, {}, {c.frames, stiffness, damping, rest}, history);
    builder.attach("joints", partOf + " spring", {&set, element});
    if (Coordinate::kTurns) builder.attach("joints", name + std::string(kTurnsPart), {&set, element});
  }
  const bool fixedDrive =
      options.has("drive") && std::holds_alternative<double>(options.at("drive").data);
  if (locked || fixedDrive) {
    auto& set = builder.elements<CoordinateLock<Coordinate>>();
    const UnknownIndex lambda =
        addMultiplier(builder, name, "locking " + force, "locked " + coordinate);
    const double target = fixedDrive ? options.number("drive") : 0.0;
    builder.attach("joints", partOf + " constraint",
                   {&set, set.add(name, c.nodes, {lambda}, {c.frames, target})});
  } else if (options.has("drive")) {
    const UnknownIndex signal = builder.signal(options, "drive");
    if (signal.value < 0) return;
    auto& set = builder.elements<CoordinateDrive<Coordinate>>();
    const UnknownIndex lambda =
        addMultiplier(builder, name, "driving " + force, "driven " + coordinate);
    builder.attach("joints", partOf + " constraint",
                   {&set, set.add(name, c.nodes, {lambda, signal}, {c.frames})});
  }
}

template <class Rows>
std::optional<Connection> makeRows(const Item& item, Builder& builder) {
  const auto c = findJointConnection(item, builder);
  if (!c) return std::nullopt;
  auto& set = builder.elements<Joint<Rows>>();
  const int element =
      set.add(item.name(), c->nodes, addMultipliers<Rows>(builder, item.name()), {c->frames});
  builder.attach("joints", item.name(), {&set, element});
  return c;
}

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

void makeScrew(const Item& item, Builder& builder) {
  const auto c = makeRows<CylindricalRows>(item, builder);
  if (!c) return;
  auto& set = builder.elements<ScrewThread>();
  const UnknownIndex lambda = addMultiplier(builder, item.name(), "thread force", "thread");
  const double pitch = item.number("pitch") / (2.0 * std::numbers::pi);
  builder.attach("joints", item.name() + "/thread",
                 {&set, set.add(item.name(), c->nodes, {lambda}, {c->frames, pitch})});
  addOptions<RotationCoordinate>(item, item, *c, builder);
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
