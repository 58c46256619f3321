// Joints `cam` and `rocker_cam`.
#include <algorithm>
#include <cmath>

#include "mechanics/gears/cam_profile.hpp"
#include "mechanics/gears/gear_maker.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/sample_models.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using system::Builder;
using system::Item;
using system::number;
using system::Parameter;

constexpr double kClosed =
    1e-9;  // of a turn, and of the largest lift: the last point may repeat the first one

struct Points {
  std::vector<double> angles, lifts;
};

std::optional<Points> readPoints(const Item& item, Builder& builder) {
  const auto fail = [&](const char* key, const std::string& message, const std::string& hint) {
    builder.error(item.placeOf(key), "joints." + item.name() + ": " + message, hint);
    return std::nullopt;
  };
  Points p{item.numbers("angle"), item.numbers("lift")};
  if (p.angles.size() != p.lifts.size()) {
    return fail("lift",
                "'angle' has " + std::to_string(p.angles.size()) + " entries, but 'lift' has " +
                    std::to_string(p.lifts.size()),
                "give the lift at each angle");
  }
  for (std::size_t i = 1; i < p.angles.size(); ++i) {
    if (p.angles[i] > p.angles[i - 1]) continue;
    return fail("angle", "the angles do not increase at entry " + std::to_string(i + 1),
                "give them in the order in which they follow each other over one turn");
  }
  if (p.angles.size() < 4) {
    return fail("angle", "a profile needs at least four points", "add points between them");
  }
  const double turn = p.angles.back() - p.angles.front();
  if (turn > kTurn * (1.0 + kClosed)) {
    return fail("angle", "the angles span more than one turn",
                "the lift repeats itself after a turn: give each angle once");
  }
  if (turn > kTurn * (1.0 - kClosed)) {
    double largest = 0.0;
    for (const double lift : p.lifts) largest = std::max(largest, std::abs(lift));
    if (std::abs(p.lifts.back() - p.lifts.front()) > kClosed * largest) {
      return fail("lift", "the lift after a whole turn is not that of its beginning",
                  "the cam has the same shape there: give the same lift, or leave out the last "
                  "point");
    }
    p.angles.pop_back();
    p.lifts.pop_back();
  }
  if (p.angles.size() > kMostCamPieces) {
    return fail("angle", "the profile has more than " + std::to_string(kMostCamPieces) + " points",
                "a cubic spline goes through them: every third degree is enough for cams that are "
                "smooth");
  }
  return p;
}

template <class Second>
void makeCam(const Item& item, Builder& builder) {
  const auto joints = findCoupledJoints(item, Second::kTurns, builder);
  const auto points = readPoints(item, builder);
  if (item.has("damping") && item.number("damping") != 0.0 && !item.has("stiffness")) {
    return builder.error(item.placeOf("damping"),
                         "joints." + item.name() + ": 'damping' needs a 'stiffness'",
                         "without 'stiffness' the follower runs in a groove");
  }
  if (!joints || !points) return;
  const auto& [first, second] = *joints;
  const std::array nodes{second.connection.nodes[0], second.connection.nodes[1],
                         first.connection.nodes[0], first.connection.nodes[1]};
  CamFrames<double> cam{first.connection.frames, second.connection.frames,
                        makeCamProfile(points->angles, points->lifts),
                        item.number("start_angle", 0.0), 0.0};
  cam.lift = calcLift<double, double>(cam.profile, cam.angle).value;
  if (item.has("stiffness")) {
    auto& set = builder.elements<CamPress<Second>>();
    const int element = set.add(item.name(), nodes, {},
                                {cam, item.number("stiffness"), item.number("damping", 0.0)});
    return builder.attach("joints", item.name(), {&set, element});
  }
  auto& set = builder.elements<CamConstraint<Second>>();
  const system::UnknownIndex lambda =
      addMultiplier(builder, item.name(), Second::kTurns ? "cam torque" : "cam force", "profile");
  builder.attach("joints", item.name(), {&set, set.add(item.name(), nodes, {lambda}, cam)});
}

std::vector<Parameter> parametersOf(bool turns) {
  using namespace system;
  const std::string follower = turns ? "rocker" : "follower";
  Parameter between{.name = "between",
                    .shape = Shape::kNames,
                    .doc = "the two joints [cam, " + follower +
                           "]: the first with a rotation, the " +
                           (turns ? "second too" : "second with a translation")};
  between.refersTo = "joints";
  const base::Dimension kRockerStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
  const base::Dimension perRate =
      turns ? base::Dimension{.time = 1, .angle = -1} : base::Dimension{.length = -1, .time = 1};
  return {
      required(between),
      required(numbers("angle", base::kAngle,
                       "angles of the cam, increasing over one turn at most; the lift repeats "
                       "itself after each turn")),
      required(numbers("lift", turns ? base::kAngle : base::kLength,
                       "how far the " + follower +
                           " is moved at each of them; between them goes a cubic spline with "
                           "continuous curvature")),
      withDefault(number("start_angle", base::kAngle,
                         "angle of the cam where the nodes are placed; both coordinates are zero "
                         "there"),
                  "0"),
      withNote(positive(number("stiffness", turns ? kRockerStiffness : base::kStiffness,
                               "of the contact, on the coordinate of the " + follower +
                                   ", which then lies on the cam and may leave it")),
               "the " + follower + " runs in a groove, which holds it on both sides"),
      changingEnergy(withDefault(notNegative(number("damping", perRate,
                                                    "d of the force k δ (1 + d δ') of this "
                                                    "contact")),
                                 "0"))};
}

std::string sample(const std::string& cams) {
  return R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
nodes:
  A: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [0.7, 0.4, -0.1], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
  C: {position: [0.1, 0.2, 0.3]}
bodies:
  a: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07]}
  b: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06]}
  c: {node: C, mass: 0.5, inertia: [0.03, 0.02, 0.04]}
joints:
  h: {type: hinge, between: [A, B], axis: [1, 0.3, -0.2]}
  s: {type: slider, between: [A, C], axis: [0.3, 1, 0.4]}
  r: {type: hinge, between: [B, C], axis: [0.5, -0.2, 1]}
)" + cams;
}

// A cubic has no third derivative at its points; samples keep away from them.
constexpr const char* kPoints = "angle: [-120 deg, -60 deg, 40 deg, 100 deg, 170 deg], ";

}  // namespace

void registerCams(system::Registry& registry) {
  using namespace system;
  const TypeFacts facts{.symbol = "gear"};
  registry.add(
      {.section = "joints",
       .type = "cam",
       .doc = "A cam and a follower that slides: the displacement of the second joint is a "
              "periodic function of the angle of the first.",
       .parameters = parametersOf(false),
       .make = makeCam<TranslationCoordinate>,
       .samples = {sample(std::string("  g: {type: cam, between: [h, s], ") + kPoints +
                          "lift: [0.1, 0.3, -0.2, 0.4, 0.1]}\n"),
                   sample(std::string("  g: {type: cam, between: [h, s], ") + kPoints +
                          "lift: [0.1, 0.3, -0.2, 0.4, 0.1], start_angle: 20 deg, stiffness: "
                          "30, damping: 0.02}\n" +
                          "sensors: {t: {measure: transmitted, joint: g}}\n" + readByBlock("t"))},
       .facts = facts,
       .fileColumns = {"angle", "lift"}});
  registry.add(
      {.section = "joints",
       .type = "rocker_cam",
       .doc = "A cam and a rocker: the angle of the second joint, within half a turn, is a "
              "periodic function of the angle of the first.",
       .parameters = parametersOf(true),
       .make = makeCam<RotationCoordinate>,
       .samples = {sample(std::string("  g: {type: rocker_cam, between: [h, r], ") + kPoints +
                          "lift: [0.1, 0.3, -0.2, 0.4, 0.1]}\n" +
                          "sensors: {t: {measure: transmitted, joint: g}}\n" + readByBlock("t")),
                   sample(std::string("  g: {type: rocker_cam, between: [h, r], ") + kPoints +
                          "lift: [0.1, 0.3, -0.2, 0.4, 0.1], stiffness: 8, damping: 0.1}\n")},
       .facts = facts,
       .fileColumns = {"angle", "lift"}});
}

}  // namespace flexloop::mechanics
