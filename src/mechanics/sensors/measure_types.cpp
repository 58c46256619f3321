// Section `sensors`: those of nodes and pairs of nodes.
#include "mechanics/joints/turn_counters.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/sensors/measures.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/springs/line_points.hpp"
#include "system/builder.hpp"
#include "system/measure_of.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::kGround;
using system::NodeIndex;
using system::Parameter;
using system::thing;
using system::vector;

std::vector<Parameter> vectorParameters() {
  Parameter frame = system::node("frame",
                                 "the axes in which components are given: ground, body (the "
                                 "measured node's own) or the name of a node");
  frame.choices = {"body"};
  return {withNote(nonZero(system::inAxesOf(system::groundDirection(vector(
                                                "direction", base::kDimensionless,
                                                "measure only the component along this direction")),
                                            {"frame"})),
                   "all three components"),
          withDefault(std::move(frame), "ground")};
}

std::optional<NodeIndex> findAxes(const Item& item, NodeIndex own, Builder& builder) {
  const std::string& frame = item.text("frame");
  if (frame == "ground") return kGround;
  if (frame == "body") return own;
  const NodeIndex found = builder.findNode(frame);
  if (found.value >= 0) return found;
  builder.error(item.placeOf("frame"),
                "sensors." + item.name() + ": there is no node named '" + frame + "'",
                "'frame' is ground, body or the name of a node");
  return std::nullopt;
}

namespace {

// With `fromStart`, positions are measured from where the point is at the start.
template <class Quantity, bool fromStart = false>
void makeNodeMeasure(const Item& item, Builder& builder) {
  const NodeIndex node = builder.node(item, "node");
  const auto axes = findAxes(item, node, builder);
  if (!axes) return;
  const math::Frame<double>& start = builder.frame(node);
  PointParameters<double> p{math::Vec3<double>::Zero(), math::Vec3<double>::Zero(), start.R};
  if (item.has("offset")) p.offset = item.vector("offset");
  if (fromStart) p.origin = start.x + start.R * p.offset;
  int history = 0;
  if constexpr (Quantity::kHistory > 0) {
    history = builder.addHistory(Quantity::kHistory);
    builder.elementSet<RotationCounters>().add({item.name(), node, start.R, history});
  }
  using Measure = system::MeasureOf<NodeMeasure<Quantity>>;
  addVectorMeasure(item,
                   std::make_unique<Measure>(std::array<NodeIndex, 2>{node, *axes},
                                             std::array<system::UnknownIndex, 0>{}, history, p),
                   builder);
}

// The displacement of the second node along a direction of the first, or its rate, as a linear spring has it.
template <class Quantity>
void makeBetween(const Item& item, Builder& builder) {
  for (const char* key : {"node", "joint", "offset"}) {
    if (!item.has(key)) continue;
    return failSensor(builder, item, key,
                      std::string("'") + key + "' cannot be combined with 'between'");
  }
  if (item.text("frame") != system::kGroundName) {
    return failSensor(builder, item, "frame", "'frame' cannot be combined with 'between'",
                      "the direction is given in ground axes at the start and turns with the first "
                      "node");
  }
  if (!item.has("direction")) {
    return failSensor(builder, item, "", "'direction' is missing",
                      "between two nodes one component is measured, along a direction that turns "
                      "with the first");
  }
  const auto nodes = findEnds(item, builder);
  const auto direction = findDirection(item, "direction", builder);
  if (!nodes || !direction) return;
  const Connection c =
      connect(*nodes, {makeAxesAlong(*direction), findPlace(item, builder, *nodes)}, builder);
  builder.addMeasure(item.name(), std::make_unique<system::MeasureOf<Quantity>>(
                                      c.nodes, std::array<system::UnknownIndex, 0>{}, 0, c.frames));
}

void makeVelocity(const Item& item, Builder& builder) {
  if (item.has("between")) {
    return makeBetween<CoordinateRateMeasure<TranslationCoordinate>>(item, builder);
  }
  if (!item.has("node")) {
    return failSensor(builder, item, "", "either 'node' or 'between' is needed",
                      "the velocity of a node, or that of a node relative to another");
  }
  makeNodeMeasure<VelocityQuantity>(item, builder);
}

// Whether the measure is that of a joint; reports if neither or both are named.
std::optional<bool> isOfJoint(const Item& item, Builder& builder, const char* hint) {
  if (item.has("node") != item.has("joint")) return item.has("joint");
  failSensor(builder, item, "node", "either 'node' or 'joint' is needed", hint);
  return std::nullopt;
}

// What belongs to a vector has no meaning for the coordinate of a joint, and the other way round.
bool hasOnlyItsKeys(const Item& item, bool isJoint, Builder& builder) {
  const auto refuse = [&](const char* key, const char* owner) {
    if (!item.has(key)) return true;
    failSensor(builder, item, key,
               std::string("'") + key + "' cannot be combined with '" + owner + "'");
    return false;
  };
  if (!isJoint) return refuse("coordinate", "node");
  return refuse("direction", "joint") && refuse("offset", "joint");
}

void makeDisplacement(const Item& item, Builder& builder) {
  if (item.has("between")) {
    return makeBetween<CoordinateMeasure<TranslationCoordinate>>(item, builder);
  }
  const std::optional<bool> isJoint =
      isOfJoint(item, builder, "the displacement of a node from the start, or that of a slider");
  if (!isJoint || !hasOnlyItsKeys(item, *isJoint, builder)) return;
  if (*isJoint) return makeJointDisplacement(item, builder);
  makeNodeMeasure<PositionQuantity, true>(item, builder);
}

void makeAcceleration(const Item& item, Builder& builder) {
  const std::optional<bool> isJoint =
      isOfJoint(item, builder, "the acceleration of a node, or that of the coordinate of a joint");
  if (!isJoint || !hasOnlyItsKeys(item, *isJoint, builder)) return;
  if (*isJoint) return makeJointAcceleration(item, builder);
  makeNodeMeasure<AccelerationQuantity>(item, builder);
}

template <LineQuantity kQuantity>
void makeLineMeasure(const Item& item, Builder& builder) {
  const std::array<NodeIndex, 2> nodes = builder.nodePair(item, "between");
  using Measure = system::MeasureOf<LineMeasure<kQuantity>>;
  builder.addMeasure(item.name(),
                     std::make_unique<Measure>(nodes, std::array<system::UnknownIndex, 0>{}, 0,
                                               findLinePoints(item, nodes, builder)));
}

Parameter measuredNode() {
  return system::node("node", "the measured node");
}

Parameter offset() {
  return withNote(
      system::ownAxes(vector("offset", base::kLength, "the measured point, in node axes")),
      "the node's origin");
}

std::string sample(const char* sensors, const char* read) {
  return twoBodies() + R"(springs: {s: {type: distance, between: [A, B], stiffness: 40}}
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], damping: 0.1}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2]}
sensors:
)" + sensors +
         readByBlock(read);
}

}  // namespace

void registerNodeMeasures(system::Registry& registry) {
  using Arrow = system::TypeFacts::Arrow;
  const auto add = [&](const char* type, const system::TypeFacts& facts, const char* doc,
                       std::vector<Parameter> parameters, void (*make)(const Item&, Builder&),
                       const char* sensors, const char* read) {
    registry.add(
        {"sensors", type, doc, std::move(parameters), make, {sample(sensors, read)}, facts});
  };
  const std::vector<Parameter> ofNode = joined({required(measuredNode())}, vectorParameters());
  const std::vector<Parameter> ofPoint = joined(ofNode, {offset()});
  const std::vector<Parameter> ofPointOrJoint =
      joined({measuredNode(), thing("joint", "joints", "the joint, instead of a node")},
             joined(vectorParameters(), {offset()}));
  const Parameter pair = system::nodePair(
      "between", "the two nodes, instead of one: the second is measured from the first");
  add("position", {.unit = "m", .hasRate = true}, "Position of a node, from the origin of ground.",
      ofPoint, makeNodeMeasure<PositionQuantity>, R"(
  p1: {measure: position, node: A, offset: [0.1, 0.2, -0.3]}
  p2: {measure: position, node: B, direction: [1, 2, 2], frame: A}
)",
      "p1.x, p1.z.rate, p2, p2.rate");
  add("displacement", {.unit = "m", .hasRate = true},
      "Displacement of a node from the start, that of a node relative to another along a "
      "direction, "
      "or the coordinate of a slider.",
      joined(ofPointOrJoint, {pair}), makeDisplacement, R"(
  d1: {measure: displacement, node: B, offset: [0.1, 0.2, -0.3]}
  d2: {measure: displacement, node: B, frame: body, direction: [1, 0, 1]}
  d3: {measure: displacement, joint: c}
  d4: {measure: displacement, between: [A, B], direction: [1, -2, 0.5]}
)",
      "d1.y, d1.y.rate, d2, d2.rate, d3, d3.rate, d4, d4.rate");
  add("velocity", {.unit = "m/s", .hasRate = true},
      "Velocity of a node, or that of a node relative to another along a direction.",
      joined(joined({measuredNode()}, vectorParameters()), {offset(), pair}), makeVelocity, R"(
  v1: {measure: velocity, node: A, offset: [0.1, 0.2, -0.3]}
  v2: {measure: velocity, node: B, frame: body}
  v3: {measure: velocity, between: [A, B], direction: [1, -2, 0.5]}
)",
      "v1.x, v1.x.rate, v2.y, v2.z.rate, v3, v3.rate");
  // A joint has angles or displacements.
  const auto unitOfAcceleration = [](const Item& item) {
    return std::string_view(item.has("joint") ? "" : "m/s^2");
  };
  add("acceleration", {.unit = unitOfAcceleration},
      "Acceleration of a node, without gravity, or that of the coordinate of a joint.",
      joined(ofPointOrJoint, {coordinateParameter()}), makeAcceleration, R"(
  a1: {measure: acceleration, node: A, offset: [0.1, 0.2, -0.3], frame: body}
  a2: {measure: acceleration, node: B, direction: [0, 1, 1]}
  a3: {measure: acceleration, joint: h}
  a4: {measure: acceleration, joint: c, coordinate: translation}
)",
      "a1.x, a2, a3, a4");
  add("rotation", {.unit = "rad", .hasRate = true, .arrow = Arrow::kRound},
      "Rotation vector of a node since the start. Turns about a fixed axis are counted.", ofNode,
      makeNodeMeasure<RotationQuantity>, R"(
  r1: {measure: rotation, node: A}
  r2: {measure: rotation, node: B, direction: [0, 1, 1], frame: body}
)",
      "r1.x, r1.y.rate, r2, r2.rate");
  add("angular_velocity", {.unit = "rad/s", .hasRate = true, .arrow = Arrow::kRound},
      "Angular velocity of a node.", ofNode, makeNodeMeasure<AngularVelocityQuantity>, R"(
  w1: {measure: angular_velocity, node: A}
  w2: {measure: angular_velocity, node: B, frame: A}
)",
      "w1.x, w1.x.rate, w2.z, w2.y.rate");
  add("angular_acceleration", {.unit = "rad/s^2", .arrow = Arrow::kRound},
      "Angular acceleration of a node.", ofNode, makeNodeMeasure<AngularAccelerationQuantity>, R"(
  e1: {measure: angular_acceleration, node: A}
  e2: {measure: angular_acceleration, node: B, frame: A}
)",
      "e1.x, e2.z");
  const std::vector<Parameter> ofPair{
      required(system::nodePair("between", "the two nodes")),
      withNote(system::groundPoint(vector("at", base::kLength,
                                          "the point on the first node, in ground axes at the "
                                          "start")),
               "the node itself"),
      withNote(system::groundPoint(vector("to", base::kLength,
                                          "the point on the second node, in ground axes at the "
                                          "start")),
               "the node itself")};
  add("distance", {.unit = "m", .hasRate = true}, "Distance between two nodes, or two points on them.",
      ofPair, makeLineMeasure<LineQuantity::kLength>, R"(
  l1: {measure: distance, between: [A, B]}
  l3: {measure: distance, between: [A, B], at: [0.1, 0.2, 0.4], to: [0.6, -0.3, 0.2]}
)",
      "l1, l1.rate, l3, l3.rate");
  add("distance_rate", {.unit = "m/s", .hasRate = true},
      "Time derivative of the distance between two nodes, or two points on them.", ofPair,
      makeLineMeasure<LineQuantity::kRate>, R"(
  l2: {measure: distance_rate, between: [A, B]}
  l4: {measure: distance_rate, between: [A, ground], at: [0.1, 0.2, 0.4], to: [0.6, -0.3, 0.2]}
)",
      "l2, l2.rate, l4, l4.rate");
}

void registerMeasures(system::Registry& registry) {
  registerNodeMeasures(registry);
  registerCoordinateMeasures(registry);
  registerConnectionMeasures(registry);
  registerEnergyMeasure(registry);
}

}  // namespace flexloop::mechanics
