// What the manual, the schema and the tests know about each type of joint.
#include <map>
#include <utility>

#include "mechanics/friction/friction.hpp"
#include "mechanics/gears/gear_maker.hpp"
#include "mechanics/joints/joint_types.hpp"
#include "mechanics/latches/latch_maker.hpp"
#include "mechanics/sample_models.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using base::Dimension;
using system::map;
using system::nodePair;
using system::number;
using system::Parameter;
using system::signal;
using system::vector;
using Parameters = std::vector<Parameter>;

constexpr Dimension kTorsionalStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
constexpr Dimension kTorsionalDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};

Parameters ends() {
  return {required(nodePair("between",
                            "the two nodes [first, second]; the axis is fixed to the first, the "
                            "place of the joint to both"))};
}

Parameters place() {
  return joined(
      ends(), {withNote(system::groundPoint(vector(
                            "at", base::kLength, "place of the joint in ground axes at the start")),
                        "at the second node, or at the first if the second is ground")});
}

Parameter axis(const char* doc) {
  return required(nonZero(system::groundDirection(vector("axis", base::kDimensionless, doc))));
}

Parameters placeAndAxis(const char* doc) {
  return joined(place(), {axis(doc)});
}

// What may act on a coordinate; it is zero where the nodes are placed.
struct Dimensions {
  Dimension value, rate, stiffness, damping, inertia, ratio;
};

Parameters options(const char* coordinate, const Dimensions& units) {
  const std::string of = std::string(" of the ") + coordinate;
  return {
      system::boolean("locked", "lock the joint in its initial position"),
      withDefault(notNegative(number("stiffness", units.stiffness, "stiffness" + of)), "0"),
      changingEnergy(
          withDefault(notNegative(number("damping", units.damping, "viscous damping" + of)), "0")),
      withDefault(
          number("rest", units.value, std::string(coordinate) + " at which the spring is relaxed"),
          "0"),
      changingEnergy(signal(
          "drive", units.value,
          std::string("prescribes the ") + coordinate + ", which is zero as the nodes are placed")),
      withNote(number("start", units.value,
                      std::string(coordinate) +
                          " at the start; everything attached to the second node moves with it"),
               "as the nodes are placed"),
      withNote(number("start_rate", units.rate,
                      "rate of the " + std::string(coordinate) +
                          " at the start; everything attached to the second node moves with it"),
               "as given by the nodes"),
      withDefault(
          notNegative(number("inertia", units.inertia,
                             "inertia of a drive that moves with the " + std::string(coordinate))),
          "0"),
      withNote(
          map("rotor",
              {required(notNegative(number("inertia", base::kInertia, "inertia J of the rotor"))),
               withDefault(number("ratio", units.ratio,
                                  "N: how far the rotor turns for the " + std::string(coordinate)),
                           "1")},
              "the rotor of a drive, which adds N² J to the inertia of the " +
                  std::string(coordinate) +
                  "; its spin is not coupled with the turning of the body that carries it"),
          "none")};
}

Parameters rotationOptions() {
  return joined(options("angle", {base::kAngle, base::kAngularVelocity, kTorsionalStiffness,
                                  kTorsionalDamping, base::kInertia, base::kDimensionless}),
                {frictionParameter(true), latchParameter()});
}

Parameters translationOptions() {
  constexpr Dimension kAnglePerLength{.length = -1, .angle = 1};
  return joined(options("displacement", {base::kLength, base::kVelocity, base::kStiffness,
                                         base::kDamping, base::kMass, kAnglePerLength}),
                {frictionParameter(false), latchParameter()});
}

std::string sample(const std::string& joints) {
  return twoBodies() +
         "blocks: {turn: {type: sine, amplitude: 0.4, frequency: 0.8 Hz}}\njoints:\n" + joints;
}

// A map from the type to its entry without section and maker.
std::map<std::string, system::TypeEntry> makeDescriptions() {
  std::map<std::string, system::TypeEntry> all;
  const auto add = [&](const char* type, const system::TypeFacts& facts, const char* doc,
                       Parameters parameters, const char* joints) {
    all[type] = {"joints", type, doc, std::move(parameters), {}, {sample(joints)}, facts};
    all[type].facts.symbol = facts.symbol.empty() ? type : facts.symbol;
  };
  add("hinge", {.freedoms = 1, .hasRotation = true},
      "One rotation about an axis. The angle is positive if the second node has rotated "
      "right-handed about the axis relative to the first.",
      joined(placeAndAxis("axis of rotation in ground axes at the start"), rotationOptions()), R"(
  h1: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], stiffness: 3,
       damping: 0.2, rest: 20 deg}
  h2: {type: hinge, between: [ground, A], axis: [1, 0.5, 2], drive: turn}
  h3: {type: hinge, between: [A, B], axis: [0.3, -1, 0.2], inertia: 0.4, rotor: {inertia: 0.02, ratio: -8}}
)");
  add("slider", {.freedoms = 1, .hasTranslation = true},
      "One displacement along an axis. It is positive if the second node has moved along the axis "
      "relative to the first.",
      joined(placeAndAxis("axis of motion in ground axes at the start"), translationOptions()), R"(
  s1: {type: slider, between: [A, B], axis: [0.3, 1, -0.2], stiffness: 300, damping: 2, rest: 10 mm}
  s2: {type: slider, between: [ground, A], axis: [1, 0.5, 2], drive: turn}
  s3: {type: slider, between: [A, B], axis: [0.3, -1, 0.2], rotor: {inertia: 0.02, ratio: 9 rad/m}}
)");
  add("cylindrical", {.freedoms = 2, .hasRotation = true, .hasTranslation = true},
      "A rotation about an axis and a displacement along it.",
      joined(placeAndAxis("common axis of both motions in ground axes at the start"),
             {map("rotation", rotationOptions(), "what acts on the rotation"),
              map("translation", translationOptions(), "what acts on the displacement")}),
      R"(
  c1: {type: cylindrical, between: [A, B], axis: [0.3, 1, -0.2],
       rotation: {drive: turn}, translation: {stiffness: 200, damping: 1}}
  c2: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2],
       rotation: {stiffness: 2}, translation: {locked: true}}
)");
  add("universal", {.freedoms = 2},
      "Two rotations, about an axis fixed to the first node and one fixed to the second, which "
      "stay "
      "perpendicular.",
      joined(placeAndAxis("axis fixed to the first node, in ground axes at the start"),
             {required(nonZero(system::groundDirection(
                 vector("second_axis", base::kDimensionless,
                        "axis fixed to the second node, perpendicular to `axis`"))))}),
      R"(
  u1: {type: universal, between: [A, B], at: [0.5, 0.1, 0.2], axis: [1, 2, 0.5], second_axis: [2, -1, 0]}
)");
  add("spherical", {.freedoms = 3},
      "A point of one node stays at a point of the other; all rotations are free.", place(), R"(
  b1: {type: spherical, between: [A, B], at: [0.5, 0.1, 0.2]}
  b2: {type: spherical, between: [ground, A]}
)");
  add("planar", {.freedoms = 3, .hasRotation = true},
      "Motion in a plane: two displacements, and the rotation about the plane's normal.",
      placeAndAxis("normal of the plane, fixed to the first node, in ground axes at the start"), R"(
  p1: {type: planar, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
)");
  add("weld", {}, "No relative motion at all.", place(), R"(
  w1: {type: weld, between: [A, B], at: [0.5, 0.1, 0.2]}
)");
  add("screw", {.freedoms = 1, .hasRotation = true, .hasTranslation = true},
      "A rotation about an axis coupled to a displacement along it. Its coordinate is the angle.",
      joined(placeAndAxis("axis of the thread in ground axes at the start"),
             joined({required(nonZero(number("pitch", base::kLength,
                                             "displacement along the axis per turn; negative for a "
                                             "left-handed thread")))},
                    joined(rotationOptions(),
                           efficiencyParameters("the rotation", "the displacement",
                                                "2 − 1/`efficiency`: the torque that is lost is "
                                                "the same")))),
      R"(
  t1: {type: screw, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], pitch: 1.1, damping: 0.1}
  t2: {type: screw, between: [ground, A], axis: [1, 0.5, 2], pitch: -1.4, drive: turn}
  t3: {type: screw, between: [A, B], at: [0.3, 0.1, 0.5], axis: [0.3, -1, -0.2], pitch: 0.4, efficiency: 0.4}
)");
  add("distance", {.freedoms = 5, .isAlongLine = true, .symbol = "rod"},
      "A rigid rod without mass between two points.",
      joined(ends(),
             {withNote(system::groundPoint(
                           vector("at", base::kLength,
                                  "the rod's end on the first node, in ground axes at the start")),
                       "the node itself"),
              withNote(system::groundPoint(
                           vector("to", base::kLength,
                                  "the rod's end on the second node, in ground axes at the start")),
                       "the node itself"),
              withNote(positive(number("length", base::kLength, "length of the rod")),
                       "the distance at the start")}),
      R"(
  d1: {type: distance, between: [A, B], at: [0.35, -0.3, 0.4]}
  d2: {type: distance, between: [ground, A], at: [0.1, 0.6, 1], to: [0.2, -0.1, 0.6], length: 0.8}
)");
  add("point_on_line", {.freedoms = 4}, "A point of the second node stays on a line of the first.",
      placeAndAxis("direction of the line, fixed to the first node, in ground axes at the start"),
      R"(
  l1: {type: point_on_line, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
)");
  add("point_on_plane", {.freedoms = 5},
      "A point of the second node stays on a plane of the first.",
      placeAndAxis("normal of the plane, fixed to the first node, in ground axes at the start"), R"(
  q1: {type: point_on_plane, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
)");
  return all;
}

}  // namespace

system::TypeEntry describeJoint(const std::string& type) {
  static const std::map<std::string, system::TypeEntry> kAll = makeDescriptions();
  return kAll.at(type);
}

}  // namespace flexloop::mechanics
