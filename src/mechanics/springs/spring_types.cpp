// Section `springs` of the model language.
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/bushing.hpp"
#include "mechanics/springs/line.hpp"
#include "mechanics/springs/stiffness_reader.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Mat6;
using math::Vec3;
using system::Builder;
using system::Item;
using system::map;
using system::matrix;
using system::number;
using system::numbers;
using system::Parameter;
using system::vector;

namespace {

constexpr base::Dimension kTorsionalStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
constexpr base::Dimension kTorsionalDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};
constexpr double kAcross = 1e-9;  // sine of the angle below which two directions are parallel

// Spring on a coordinate along or about the direction `key`, with its frames at the second node.
template <class Coordinate>
void makeCoordinateSpring(const Item& item, std::string_view key, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  const auto direction = findDirection(item, key, builder);
  if (!nodes || !direction) return;
  const Connection c =
      connect(*nodes, {makeAxesAlong(*direction), findPlace(item, builder, *nodes)}, builder);
  const SpringLaw law{item.number("stiffness", 0.0), item.number("damping", 0.0),
                      item.number("rest", 0.0)};
  noteNegative(item, law.stiffness < 0.0, builder);
  builder.attach("springs", item.name(),
                 addCoordinateSpring<Coordinate>("springs", item.name(), c, law, builder));
}

void makeLinear(const Item& item, Builder& builder) {
  makeCoordinateSpring<TranslationCoordinate>(item, "direction", builder);
}

void makeTorsional(const Item& item, Builder& builder) {
  makeCoordinateSpring<RotationCoordinate>(item, "axis", builder);
}

void makeDistanceSpring(const Item& item, Builder& builder) {
  const auto line = findLine(item, builder);
  if (!line) return;
  noteNegative(item, item.number("stiffness", 0.0) < 0.0, builder);
  auto& set = builder.elements<DistanceSpring>();
  const int element =
      set.add(item.name(), line->nodes, {},
              {line->points, item.number("stiffness", 0.0), item.number("damping", 0.0),
               item.number("length", line->length), item.number("preload", 0.0)});
  builder.attach("springs", item.name(), {&set, element});
}

void makeDamper(const Item& item, Builder& builder) {
  if (!item.has("direction")) return makeDistanceSpring(item, builder);
  for (const char* key : {"at", "to"}) {
    if (!item.has(key)) continue;
    builder.error(item.placeOf(key),
                  "springs." + item.name() + ": '" + key + "' cannot be combined with 'direction'",
                  "without 'direction' the damper acts along the line between its ends");
  }
  makeLinear(item, builder);
}

// Axes of the bushing in ground axes at the start: x exactly, y as near as possible.
std::optional<math::Mat3<double>> readAxes(const Item& item, Builder& builder) {
  if (!item.has("axes")) return math::Mat3<double>::Identity();
  const Item axes = item.child("axes");
  const auto x = findDirection(axes, "x", builder), y = findDirection(axes, "y", builder);
  if (!x || !y) return std::nullopt;
  const Vec3<double> z = math::cross<double>(*x, *y);
  if (z.norm() < kAcross) {
    builder.error(axes.placeOf("y"), "springs." + item.name() + ": the axes x and y are parallel");
    return std::nullopt;
  }
  math::Mat3<double> R;
  R.col(0) = *x;
  R.col(2) = z.normalized();
  R.col(1) = math::cross<double>(R.col(2), *x);
  return R;
}

void makeBushing(const Item& item, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  const auto R = readAxes(item, builder);
  const Mat6<double> stiffness = readSymmetric(item, "stiffness", 6, builder);
  const Mat6<double> damping = readSymmetric(item, "damping", 6, builder);
  if (!nodes || !R) return;
  const Connection c = connect(*nodes, {*R, findPlace(item, builder, *nodes)}, builder);
  auto& set = builder.elements<Bushing>();
  builder.attach("springs", item.name(),
                 {&set, set.add(item.name(), c.nodes, {}, {c.frames, stiffness, damping})});
}

std::vector<Parameter> between() {
  return {required(system::nodePair("between", "the two nodes [first, second]"))};
}

Parameter stiffness(base::Dimension dimension) {
  return required(number("stiffness", dimension, "stiffness; negative: it pushes away from rest"));
}

Parameter damping(base::Dimension dimension) {
  return changingEnergy(
      withDefault(notNegative(number("damping", dimension, "viscous damping")), "0"));
}

Parameter direction() {
  return nonZero(system::groundDirection(
      vector("direction", base::kDimensionless,
             "direction in ground axes at the start; it turns with the first node")));
}

std::vector<Parameter> points() {
  return {
      withNote(system::groundPoint(vector(
                   "at", base::kLength, "its end on the first node, in ground axes at the start")),
               "the node itself"),
      withNote(system::groundPoint(vector(
                   "to", base::kLength, "its end on the second node, in ground axes at the start")),
               "the node itself")};
}

Parameter six(const char* name, base::Dimension translation, base::Dimension rotation,
              const char* doc) {
  Parameter parameter = counted(numbers(name, {}, doc), 6);
  parameter.dimensions = {translation, translation, translation, rotation, rotation, rotation};
  return parameter;
}

std::vector<Parameter> bushingParameters() {
  return joined(
      between(),
      {six("stiffness", base::kStiffness, kTorsionalStiffness,
           "stiffness along x y z and about x y z; negative: it pushes away from rest"),
       changingEnergy(notNegative(six("damping", base::kDamping, kTorsionalDamping,
                                      "viscous damping along x y z and about x y z"))),
       matrix("stiffness_matrix", "symmetric 6×6 stiffness instead of the six numbers, SI"),
       changingEnergy(
           matrix("damping_matrix", "symmetric 6×6 damping instead of the six numbers, SI")),
       withNote(system::groundPoint(vector("at", base::kLength,
                                           "place of the bushing in ground axes at the start")),
                "at the second node, or at the first if the second is ground"),
       withDefault(
           map("axes",
               {required(nonZero(
                    system::groundDirection(vector("x", base::kDimensionless, "first axis")))),
                required(nonZero(system::groundDirection(vector(
                    "y", base::kDimensionless, "second axis; made perpendicular to the first"))))},
               "axes of the bushing in ground axes at the start; they turn with the first node"),
           "{x: [1, 0, 0], y: [0, 1, 0]}")});
}

}  // namespace

void registerSprings(system::Registry& registry) {
  const auto add = [&](const char* type, const system::TypeFacts& facts, const char* doc,
                       std::vector<Parameter> parameters, void (*make)(const Item&, Builder&),
                       const char* sample) {
    registry.add(
        {"springs", type, doc, std::move(parameters), make, {twoBodies() + sample}, facts});
  };
  add("linear", {},
      "A spring and damper on the displacement of the second node from the start, along a "
      "direction "
      "of the first.",
      joined(between(),
             {required(direction()), stiffness(base::kStiffness), damping(base::kDamping)}),
      makeLinear, R"(
springs:
  k1: {type: linear, between: [A, B], direction: [1, -0.5, 2], stiffness: 120, damping: 3}
  k2: {type: linear, between: [ground, A], direction: [0.2, 1, 0.4], stiffness: -80}
)");
  add("distance", {.isAlongLine = true},
      "A spring and damper along the line between two points. It pulls if the line is longer than "
      "`length`.",
      joined(joined(between(), points()),
             {stiffness(base::kStiffness), damping(base::kDamping),
              withNote(notNegative(number("length", base::kLength, "relaxed length")),
                       "the distance at the start"),
              withDefault(number("preload", base::kForce, "tension at that length"), "0")}),
      makeDistanceSpring, R"(
springs:
  s1: {type: distance, between: [A, B], stiffness: 250, damping: 4, length: 0.6, preload: 3}
  s2: {type: distance, between: [ground, B], at: [1, 1, 1], to: [0.75, 0.5, 0], stiffness: 90}
)");
  add("torsional", {.symbol = "spiral"},
      "A spring and damper on the angle of the second node about an axis of the first. It counts "
      "turns and is intended for rotations about that axis.",
      joined(between(), {required(nonZero(system::groundDirection(
                             vector("axis", base::kDimensionless,
                                    "axis in ground axes at the start; it turns with the first "
                                    "node")))),
                         stiffness(kTorsionalStiffness), damping(kTorsionalDamping),
                         withDefault(number("rest", base::kAngle, "relaxed angle"), "0")}),
      makeTorsional, R"(
springs:
  t1: {type: torsional, between: [A, B], axis: [1, -0.5, 2], stiffness: 5, damping: 0.3, rest: 0.2}
  t2: {type: torsional, between: [ground, A], axis: [0.2, 1, 0.4], stiffness: 2}
)");
  add("bushing", {.symbol = "cube"},
      "Stiffness and damping in all six directions of the relative motion, zero at the start.",
      bushingParameters(), makeBushing, R"(
springs:
  b1: {type: bushing, between: [A, B], stiffness: [300, 200, 250, 4, 5, 6], damping: [1, 2, 1, 0.1, 0, 0.2],
       axes: {x: [1, 2, 0], y: [0, 1, 1]}}
  b3: {type: bushing, between: [A, B], stiffness: [-30, 20, 25, 0.4, -0.5, 0.6]}
  b2: {type: bushing, between: [ground, A], at: [0.2, 0, 0.3], stiffness_matrix: [[300, 20, 0, 3, 0, 1],
       [20, 250, 10, 0, 2, 0], [0, 10, 280, 0, 0, 4], [3, 0, 0, 6, 1, 0], [0, 2, 0, 1, 5, 0], [1, 0, 4, 0, 0, 7]]}
)");
  add("damper",
      {.isAlongLine = [](const Item& item) { return !item.has("direction"); }, .symbol = "dashpot"},
      "A viscous damper: along a direction of the first node if `direction` is given, else along "
      "the "
      "line between the two points.",
      joined(joined(between(), points()),
             {direction(),
              changingEnergy(
                  required(notNegative(number("damping", base::kDamping, "viscous damping")))),
              withDefault(number("stiffness", base::kStiffness, "stiffness"), "0")}),
      makeDamper, R"(
springs:
  d1: {type: damper, between: [A, B], damping: 6}
  d2: {type: damper, between: [ground, A], direction: [0.2, 1, 0.4], damping: 2}
)");
}

}  // namespace flexloop::mechanics
