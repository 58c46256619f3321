// Springs of type `bearing`.
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/bearing.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/springs/stiffness_reader.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Vec3;
using system::Builder;
using system::Item;

namespace {

constexpr base::Dimension kTiltStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
constexpr base::Dimension kTiltDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};
constexpr double kAcross = 1e-9;  // sine of the angle below which two directions are parallel

// The axes of the housing in ground axes: z along the axis, x as given or as it comes.
std::optional<Mat3<double>> readAxes(const Item& item, Builder& builder) {
  const auto z = findDirection(item, "axis", builder);
  if (!z) return std::nullopt;
  if (!item.has("x_axis")) return makeAxesAlong(*z);
  const auto x = findDirection(item, "x_axis", builder);
  if (!x) return std::nullopt;
  const Vec3<double> across = *x - x->dot(*z) * *z;
  if (across.norm() < kAcross) {
    builder.error(item.placeOf("x_axis"),
                  "springs." + item.name() + ": 'x_axis' is parallel to 'axis'",
                  "give a direction across the axis of the shaft");
    return std::nullopt;
  }
  Mat3<double> R;
  R.col(0) = across.normalized();
  R.col(1) = math::cross<double>(*z, R.col(0));
  R.col(2) = *z;
  return R;
}

void makeBearing(const Item& item, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  const auto R = readAxes(item, builder);
  Bearing::Parameters<double> p;
  p.stiffness = readSymmetric(item, "stiffness", 5, builder);
  p.damping = readSymmetric(item, "damping", 5, builder);
  p.radial = item.number("radial_clearance", 0.0);
  p.axial = item.number("axial_clearance", 0.0);
  if (!item.has("stiffness") && !item.has("stiffness_matrix")) {
    builder.error(item.place(),
                  "springs." + item.name() + ": the stiffness of the bearing is missing",
                  "give 'stiffness' along x y z and about x y, or 'stiffness_matrix'");
    return;
  }
  if (!nodes || !R) return;
  const Connection c = connect(*nodes, {*R, findPlace(item, builder, *nodes)}, builder);
  p.frames = c.frames;
  auto& set = builder.elements<Bearing>();
  builder.attach("springs", item.name(), {&set, set.add(item.name(), c.nodes, {}, p)});
}

system::Parameter five(const char* name, base::Dimension translation, base::Dimension rotation,
                       const char* doc) {
  system::Parameter parameter = system::counted(system::numbers(name, {}, doc), 5);
  parameter.dimensions = {translation, translation, translation, rotation, rotation};
  return parameter;
}

}  // namespace

void registerBearings(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "springs",
       .type = "bearing",
       .doc = "A bearing of a shaft: stiffness, damping and clearance across and along its axis "
              "and "
              "against tilts. The shaft turns freely, as often as it likes.",
       .parameters =
           {required(nodePair("between", "the two nodes [housing, shaft]")),
            required(nonZero(groundDirection(
                vector("axis", base::kDimensionless,
                       "axis z of shaft and housing in ground axes at the start")))),
            withNote(nonZero(groundDirection(
                         vector("x_axis", base::kDimensionless,
                                "axis x across it, for stiffnesses that differ across the axis; "
                                "made perpendicular; the axes turn with the housing"))),
                     "the ground axis that is most across `axis`"),
            five("stiffness", base::kStiffness, kTiltStiffness,
                 "stiffness along x y z and about x y; negative: it pushes away from the middle"),
            matrix("stiffness_matrix",
                   "symmetric 5×5 stiffness instead of the five numbers, SI, as makers of bearings "
                   "calculate it"),
            changingEnergy(notNegative(five("damping", base::kDamping, kTiltDamping,
                                            "viscous damping along x y z and about x y, in the "
                                            "clearance too"))),
            changingEnergy(
                matrix("damping_matrix", "symmetric 5×5 damping instead of the five numbers, SI")),
            withDefault(notNegative(number("radial_clearance", base::kLength,
                                           "how far the shaft moves in any direction across the "
                                           "axis before the bearing resists")),
                        "0"),
            withDefault(notNegative(number("axial_clearance", base::kLength,
                                           "the same along the axis, to either side")),
                        "0"),
            withNote(groundPoint(vector("at", base::kLength,
                                        "place of the bearing in ground axes at the start")),
                     "at the second node, or at the first if the second is ground")},
       .make = makeBearing,
       .samples = {twoBodies() + R"(
springs:
  b1: {type: bearing, between: [A, B], axis: [1, 0.3, -0.2], x_axis: [0, 1, 1], stiffness: [300, 200, 250, 4, 5],
       damping: [1, 2, 1, 0.1, 0.2]}
  b2: {type: bearing, between: [ground, A], axis: [0, 0, 1], at: [0.2, 0, 0.3], stiffness_matrix: [[300, 20, 0, 3, 0],
       [20, 250, 10, 0, 2], [0, 10, 280, 0, 1], [3, 0, 0, 6, 1], [0, 2, 1, 1, 5]]}
  b3: {type: bearing, between: [A, B], axis: [0, 1, 0], stiffness: [30, 20, 25, 0.4, 0.5], radial_clearance: 1 um, axial_clearance: 2 um}
sensors:
  pull: {measure: force, spring: b3}
  stored: {measure: energy, spring: b3, component: potential}
)" + readByBlock("pull.x, pull.y.rate, stored, stored.rate")},
       .facts = {.symbol = "ring"}});
}

}  // namespace flexloop::mechanics
