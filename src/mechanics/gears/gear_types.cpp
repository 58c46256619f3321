// Joints `gear`, `rack` and `belt`, which connect the coordinates of two other joints.
#include <cmath>

#include "mechanics/gears/gear_maker.hpp"
#include "mechanics/gears/tooth_ratio.hpp"
#include "mechanics/joints/joint_coordinate.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using base::Dimension;
using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using Parameters = std::vector<Parameter>;

constexpr Dimension kTorsionalStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
constexpr Dimension kTorsionalDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};

// Wheels lose the same share in both directions.
double sameBackward(double forward) {
  return forward;
}

// What needs a spring that is not there.
bool lacksStiffness(const Item& item, Builder& builder) {
  if (item.has("stiffness")) return false;
  for (const char* key : {"backlash", "damping"}) {
    if (item.number(key, 0.0) == 0.0) continue;
    builder.error(item.placeOf(key),
                  "joints." + item.name() + ": '" + key + "' needs a 'stiffness'",
                  "without 'stiffness' the " + item.type() + " is rigid and has no play");
    return true;
  }
  return false;
}

// `factor` and its square convert what is given along the teeth into what acts on the second coordinate.
GearPlan readPlan(const Item& item, const std::array<CoupledJoint, 2>& joints, double ratio,
                  double factor = 1.0) {
  GearPlan plan{joints, ratio, std::nullopt, 0.0, 0.0, readLosses(item, sameBackward)};
  if (item.has("stiffness")) plan.stiffness = item.number("stiffness") * factor * factor;
  plan.damping = item.number("damping", 0.0) * factor * factor;
  plan.backlash = item.number("backlash", 0.0) / factor;
  return plan;
}

// `ratio`, or `teeth`.
std::optional<double> findRatio(const Item& item, const std::array<CoupledJoint, 2>& joints,
                                Builder& builder) {
  if (item.has("ratio") == item.has("teeth")) {
    const bool hasBoth = item.has("ratio");
    builder.error(hasBoth ? item.placeOf("teeth") : item.place(),
                  "joints." + item.name() +
                      (hasBoth ? ": 'ratio' and 'teeth' exclude each other"
                               : ": a gear needs 'ratio' or 'teeth'"),
                  "'teeth' gives the ratio with the sign that follows from the axes");
    return std::nullopt;
  }
  if (item.has("teeth")) return findToothRatio(item, joints, builder);
  if (!item.boolean("inner", false)) return item.number("ratio");
  builder.error(item.placeOf("inner"), "joints." + item.name() + ": 'inner' needs 'teeth'",
                "a 'ratio' has its sign already");
  return std::nullopt;
}

// (41.7): c_1 and c_2 of a worm from its friction.
std::optional<MeshLosses> findWormLosses(const Item& item, Builder& builder) {
  const double mu = item.number("friction", 0.0), lead = std::tan(item.number("lead_angle"));
  const double pressure = std::cos(item.number("pressure_angle"));
  const double left = pressure - mu * lead;
  if (!(left > 0.0) || !(pressure > 0.0)) {
    builder.error(
        item.placeOf("lead_angle"),
        "joints." + item.name() + ": a worm with this lead angle and friction cannot drive",
        "use a smaller 'lead_angle' or less 'friction'");
    return std::nullopt;
  }
  return MeshLosses{mu * (lead + 1.0 / lead) / left,
                    mu * (lead + 1.0 / lead) / (pressure + mu * lead)};
}

void makeGear(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, true, builder);
  if (!joints || lacksStiffness(item, builder)) return;
  const auto ratio = findRatio(item, *joints, builder);
  if (ratio) addGear<RotationCoordinate>(item, readPlan(item, *joints, *ratio), builder);
}

void makeWorm(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, true, builder);
  if (!joints) return;
  const auto ratio = findWormRatio(item, *joints, builder);
  const auto losses = findWormLosses(item, builder);
  if (!ratio || !losses) return;
  addGear<RotationCoordinate>(item, {*joints, *ratio, std::nullopt, 0.0, 0.0, *losses}, builder);
}

void makeRack(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, false, builder);
  if (!joints || lacksStiffness(item, builder)) return;
  addGear<TranslationCoordinate>(item, readPlan(item, *joints, item.number("radius")), builder);
}

// With the same friction of the thread both ways.
double threadBackward(double forward) {
  return 2.0 - 1.0 / forward;
}

void makeBallScrew(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, false, builder);
  if (!joints || lacksStiffness(item, builder)) return;
  GearPlan plan = readPlan(item, *joints, item.number("lead") / kTurn);
  plan.losses = readLosses(item, threadBackward);
  addGear<TranslationCoordinate>(item, plan, builder);
}

void makeBelt(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, true, builder);
  if (!joints || lacksStiffness(item, builder)) return;
  const std::vector<double> radii = item.numbers("radii");
  const double ratio = (item.boolean("crossed", false) ? -1.0 : 1.0) * radii[0] / radii[1];
  addGear<RotationCoordinate>(item, readPlan(item, *joints, ratio, radii[1]), builder);
}

Parameter between(const char* doc) {
  Parameter parameter{.name = "between", .shape = system::Shape::kNames, .doc = doc};
  parameter.refersTo = "joints";
  return required(parameter);
}

Parameters teeth(Dimension value, Dimension stiffness, Dimension damping, const char* of) {
  const std::string on = std::string(" of the teeth, on the ") + of;
  return {withNote(positive(number("stiffness", stiffness, "stiffness" + on)), "rigid"),
          changingEnergy(withDefault(notNegative(number("damping", damping, "damping" + on)), "0")),
          withDefault(notNegative(number("backlash", value,
                                         std::string("play between both flanks, on the ") + of +
                                             "; half of it to either side at the start")),
                      "0")};
}

// Two pairs of bodies with four joints.
std::string sample(const std::string& joints) {
  return R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
nodes:
  A: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [0.7, 0.4, -0.1], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
  C: {position: [-0.5, 0.3, 0.2], rotation: {axis: [0.2, -1, 0.8], angle: 35 deg}}
  D: {position: [0.1, 0.8, 0.4], rotation: {axis: [-0.4, 1, -0.8], angle: 25 deg}}
bodies:
  a: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07], com: [0.02, -0.01, 0.05]}
  b: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06, 0.01, -0.005, 0.004]}
  c: {node: C, mass: 1.1, inertia: [0.1, 0.07, 0.12]}
  d: {node: D, mass: 0.9, inertia: [0.06, 0.08, 0.05]}
joints:
)" + joints +
         R"(
  h1: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
  h2: {type: hinge, between: [C, D], axis: [1, 0.5, 2]}
  h3: {type: hinge, between: [ground, A], axis: [1, -0.5, 0.3]}
  c1: {type: cylindrical, between: [A, C], axis: [0.2, 0.4, 1]}
  s1: {type: slider, between: [ground, D], axis: [1, 2, 0]}
)";
}

}  // namespace

void registerGears(system::Registry& registry) {
  using namespace system;
  const TypeFacts facts{.freedoms = 5, .symbol = "gear"};
  registry.add(
      {.section = "joints",
       .type = "gear",
       .doc = "Two angles in a fixed ratio: angle of the second joint = `ratio` × angle "
              "of the first. The axes may be "
              "parallel, meet or pass each other. Angles are zero where the nodes are "
              "placed and count turns.",
       .parameters = joined(
           {between("the two joints [first, second], each with a rotation: hinge, "
                    "cylindrical, screw or planar"),
            withNote(nonZero(number(
                         "ratio", base::kDimensionless,
                         "angle of the second joint over that of the first; negative for two outer "
                         "gears on parallel axes of the same direction")),
                     "that of the `teeth`"),
            positive(counted(numbers("teeth", base::kDimensionless,
                                     "numbers of teeth [first, second] in place of "
                                     "`ratio`; axes are parallel or meet, as those of "
                                     "bevel gears"),
                             2)),
            boolean("inner", "one of two wheels on parallel axes has its teeth inside")},
           joined(teeth(base::kAngle, kTorsionalStiffness, kTorsionalDamping,
                        "angle of the second joint"),
                  efficiencyParameters("the first joint", "the second", "`efficiency`"))),
       .make = makeGear,
       .samples = {sample(R"(
  g1: {type: gear, between: [h1, h2], ratio: -0.7}
  g2: {type: gear, between: [h3, c1.rotation], ratio: 1.3}
)"),
                   sample(R"(
  g1: {type: gear, between: [h1, h2], ratio: -0.7, stiffness: 30, damping: 0.4}
  g2: {type: gear, between: [h3, h1], ratio: 1.3, stiffness: 20, backlash: 10 deg}
)"),
                   sample(R"(
  g1: {type: gear, between: [h1, h2], ratio: -0.7, efficiency: 0.8}
  g2: {type: gear, between: [h3, c1.rotation], ratio: 1.3, efficiency: 0.6, back_efficiency: -0.2}
)"),
                   sample(R"(
  g1: {type: gear, between: [h1, h2], ratio: -0.7, stiffness: 30, damping: 0.4, efficiency: 0.8}
  g2: {type: gear, between: [h3, c1.rotation], ratio: 1.3, stiffness: 20, efficiency: 0.6}
)")},
       .facts = facts});
  registry.add(
      {.section = "joints",
       .type = "rack",
       .doc = "A pinion and a rack: displacement of the second joint = `radius` × angle of the "
              "first. Both are zero "
              "where the nodes are placed.",
       .parameters = joined(
           {between("the two joints [pinion, rack]: the first with a rotation, the second with a "
                    "translation"),
            required(nonZero(
                number("radius", base::kLength,
                       "pitch radius of the pinion; negative if the rack moves backwards")))},
           joined(
               teeth(base::kLength, base::kStiffness, base::kDamping, "displacement of the rack"),
               efficiencyParameters("the pinion", "the rack", "`efficiency`"))),
       .make = makeRack,
       .samples = {sample(R"(
  r1: {type: rack, between: [h1, s1], radius: 0.4}
  r2: {type: rack, between: [h3, c1.translation], radius: -0.2, efficiency: 0.9}
)"),
                   sample(R"(
  r1: {type: rack, between: [h1, s1], radius: 0.4, stiffness: 50, damping: 0.3, backlash: 0.1}
)")},
       .facts = facts});
  registry.add(
      {.section = "joints",
       .type = "ball_screw",
       .doc = "A spindle and its nut, on joints of their own: displacement of the second joint = "
              "`lead` × turns of the first. Both are zero where the nodes are placed. A `screw` is "
              "the same for two nodes, without elasticity.",
       .parameters = joined(
           {between("the two joints [spindle, nut]: the first with a rotation, the second with a "
                    "translation"),
            required(nonZero(number("lead", base::kLength,
                                    "how far the nut moves in one turn; negative for a left-handed "
                                    "thread")))},
           joined(teeth(base::kLength, base::kStiffness, base::kDamping, "displacement of the nut"),
                  efficiencyParameters("the spindle", "the nut", "2 − 1/`efficiency`"))),
       .make = makeBallScrew,
       .samples = {sample(R"(
  r1: {type: ball_screw, between: [h1, s1], lead: 2.5}
  r2: {type: ball_screw, between: [h3, c1.translation], lead: -1.2, efficiency: 0.9}
)"),
                   sample(R"(
  r1: {type: ball_screw, between: [h1, s1], lead: 2.5, stiffness: 50, damping: 0.3, backlash: 0.1}
  r2: {type: ball_screw, between: [h3, c1.translation], lead: 1.4, stiffness: 30, damping: 0.2, efficiency: 0.8}
)")},
       .facts = facts});
  registry.add(
      {.section = "joints",
       .type = "belt",
       .doc = "A belt or chain over two pulleys: the angles are in the ratio of the radii, first "
              "over second. It is "
              "pretensioned and does not slip.",
       .parameters =
           {between("the two joints [first, second] of the pulleys, each with a rotation"),
            required(
                positive(counted(numbers("radii", base::kLength, "radii of both pulleys"), 2))),
            boolean("crossed", "the belt is crossed, and the pulleys turn in opposite directions"),
            withNote(
                positive(number("stiffness", base::kStiffness,
                                "of both spans together, along the belt: the sum of EA/length")),
                "rigid"),
            changingEnergy(
                withDefault(notNegative(number("damping", base::kDamping,
                                               "of both spans together, along the belt")),
                            "0"))},
       .make = makeBelt,
       .samples = {sample(R"(
  b1: {type: belt, between: [h1, h2], radii: [0.3, 0.2], stiffness: 200, damping: 3}
  b2: {type: belt, between: [h3, c1], radii: [0.3, 0.5], crossed: true}
)")},
       .facts = facts});
  registry.add(
      {.section = "joints",
       .type = "worm",
       .doc = "A worm and its wheel, whose axes pass each other. Where friction exceeds what the "
              "lead angle overcomes, the wheel cannot drive the worm: it locks itself.",
       .parameters =
           {between("the two joints [worm, wheel], each with a rotation and with its place `at`"),
            withDefault(positive(number("starts", base::kDimensionless, "threads of the worm")),
                        "1"),
            required(positive(number("teeth", base::kDimensionless, "teeth of the wheel"))),
            withDefault(choice("hand", {"right", "left"}, "of the thread of the worm"), "right"),
            required(positive(number("lead_angle", base::kAngle,
                                     "of the thread at its pitch radius, from the plane across "
                                     "the axis of the worm"))),
            withDefault(
                positive(number("pressure_angle", base::kAngle, "of the teeth, normal to them")),
                "20 deg"),
            changingEnergy(withDefault(notNegative(number("friction", base::kDimensionless,
                                                          "coefficient of friction of the teeth")),
                                       "0"))},
       .make = makeWorm,
       .samples = {sample(R"(
  w1: {type: worm, between: [h1, h2], teeth: 30, lead_angle: 5 deg, friction: 0.1}
  w2: {type: worm, between: [h3, c1.rotation], starts: 2, teeth: 3, hand: left, lead_angle: 30 deg}
)")},
       .facts = facts});
}

}  // namespace flexloop::mechanics
