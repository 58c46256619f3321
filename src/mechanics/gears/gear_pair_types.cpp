// Joint `gear_pair`: two wheels in mesh whose bearings yield.
#include <cmath>
#include <sstream>

#include "mechanics/gears/gear_mesh.hpp"
#include "mechanics/joints/turn_counters.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;

// Of the distance of the axes: what is left of radii that are written with some digits.
constexpr double kSameDistance = 1e-3;

// Axes of the mesh in ground axes: x from wheel to wheel, z along the axis.
std::optional<math::Mat3<double>> findAxes(const Item& item, const std::array<NodeIndex, 2>& wheels,
                                           Builder& builder) {
  const auto fail = [&](const char* key, const std::string& message, const std::string& hint) {
    builder.error(item.placeOf(key), "joints." + item.name() + ": " + message, hint);
    return std::nullopt;
  };
  const auto z = findDirection(item, "axis", builder);
  if (!z) return std::nullopt;
  const Vec3<double> between = builder.frame(wheels[1]).x - builder.frame(wheels[0]).x;
  const Vec3<double> across = between - between.dot(*z) * *z;
  const std::vector<double> radii = item.numbers("radii");
  const double distance = across.norm(), sum = radii[0] + radii[1];
  if (std::abs(sum - distance) > kSameDistance * distance || distance == 0.0) {
    std::ostringstream message;
    message << "the axes are " << distance << " m apart, but the radii add up to " << sum << " m";
    return fail("radii", message.str(),
                "the pitch circles touch; the radius of an inner gear is negative");
  }
  math::Mat3<double> R;
  R.col(0) = across / distance;
  R.col(1) = math::cross<double>(*z, R.col(0));
  R.col(2) = *z;
  return R;
}

void makeGearPair(const Item& item, Builder& builder) {
  const auto wheels = findEnds(item, builder);
  const NodeIndex housing = item.has("housing") ? builder.node(item, "housing") : system::kGround;
  if (!wheels) return;
  const auto axes = findAxes(item, *wheels, builder);
  if (!axes) return;
  const auto frames = [&](int k) {
    return connect({housing, (*wheels)[k]}, {*axes, builder.frame((*wheels)[k]).x}, builder).frames;
  };
  const double pressure = item.number("pressure_angle"), helix = item.number("helix_angle");
  const double side = item.text("flank") == "back" ? -1.0 : 1.0;
  const std::vector<double> radii = item.numbers("radii");
  const Vec3<double> n(std::sin(pressure), side * std::cos(pressure) * std::cos(helix),
                       side * std::cos(pressure) * std::sin(helix));
  const int history = builder.addHistory(GearMesh::kHistory);
  for (int k = 0; k < 2; ++k) {
    builder.elementSet<AngleCounters>().add(
        {item.name(), {housing, (*wheels)[k]}, frames(k), history + k * kTurnSlots, {}, {}, {}});
  }
  auto& set = builder.elements<GearMesh>();
  const int element =
      set.add(item.name(), {housing, (*wheels)[0], (*wheels)[1]}, {},
              {frames(0), frames(1), n, radii[0], radii[1], item.number("stiffness"),
               item.number("damping"), 0.5 * item.number("backlash")},
              history);
  builder.attach("joints", item.name(), {&set, element});
}

std::string sample(const std::string& more) {
  return R"(flexloop: 1
nodes:
  A: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [0.7, 0.1, 0.5], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
  H: {position: [0.2, 0.1, 0.3], rotation: {axis: [0.3, 1, -0.8], angle: 30 deg}}
bodies:
  a: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07]}
  b: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06]}
  h: {node: H, mass: 2, inertia: [0.2, 0.1, 0.1]}
joints:
  mesh: {type: gear_pair, between: [A, B], housing: H, axis: [0, 0, 1], radii: [0.2, 0.3], stiffness: 50, )" +
         more + "}\n";
}

}  // namespace

void registerGearPair(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "joints",
       .type = "gear_pair",
       .doc = "Two toothed wheels on parallel axes, straight or helical, in elastic mesh. The "
              "teeth push along "
              "their normal, so that bearings feel tangential, radial and axial forces; the wheels "
              "need bearings "
              "of their own, which may yield a little against the housing.",
       .parameters =
           {required(
                nodePair("between", "the nodes at the centres of the two wheels [first, second]")),
            withNote(node("housing", "the node that holds the bearings of both"), "ground"),
            required(nonZero(groundDirection(vector(
                "axis", base::kDimensionless,
                "direction of both axes in ground axes at the start, fixed to the housing")))),
            required(nonZero(counted(
                numbers("radii", base::kLength,
                        "pitch radii of both wheels, negative for an inner gear; they add up "
                        "to the distance of the axes"),
                2))),
            withDefault(
                number("pressure_angle", base::kAngle, "pressure angle normal to the teeth"),
                "20 deg"),
            withDefault(number("helix_angle", base::kAngle,
                               "helix angle at the pitch circle; positive: a torque about the axis "
                               "on the first "
                               "wheel pushes the second along the axis"),
                        "0"),
            required(positive(number("stiffness", base::kStiffness,
                                     "mesh stiffness along the normal of the teeth"))),
            changingEnergy(
                withDefault(notNegative(number("damping", base::kDamping,
                                               "mesh damping along the normal of the teeth")),
                            "0")),
            withDefault(
                notNegative(
                    number("backlash", base::kLength,
                           "play between both flanks, along the normal of the teeth; half of it to "
                           "either side at the start. Without it one flank touches always")),
                "0"),
            withDefault(choice("flank", {"front", "back"},
                               "the flank that touches; front: where a torque about the axis on "
                               "the first wheel "
                               "presses"),
                        "front")},
       .make = makeGearPair,
       .samples = {sample("damping: 0.7, helix_angle: 15 deg"),
                   sample("backlash: 0.05, helix_angle: -20 deg, flank: back") +
                       "sensors: {q: {measure: transmitted, joint: mesh}}\nblocks: {y: {type: sum, "
                       "inputs: [q]}}\n"},
       .facts = {.freedoms = 6, .symbol = "gear"}});
}

}  // namespace flexloop::mechanics
