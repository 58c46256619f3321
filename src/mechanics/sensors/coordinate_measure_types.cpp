// Sensors of the coordinates of joints, their rates and accelerations.
#include "mechanics/guides/guide_measures.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/sensors/measures.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/measure_of.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::Parameter;

void failSensor(Builder& builder, const Item& item, std::string_view key,
                const std::string& message, const std::string& hint) {
  builder.error(item.has(key) ? item.placeOf(key) : item.place(),
                "sensors." + item.name() + ": " + message, hint);
}

namespace {

using NoScalars = std::array<system::UnknownIndex, 0>;

const Item* findJoint(const Item& item, const Builder& builder) {
  return findMade("joints", item.text("joint"), builder);
}

template <class Q, class P>
void addCoordinate(const Item& item, const Connection& c, int history, const P& parameters,
                   Builder& builder) {
  builder.addMeasure(item.name(), std::make_unique<system::MeasureOf<Q>>(c.nodes, NoScalars{},
                                                                         history, parameters));
}

void makeAngle(const Item& item, Builder& builder) {
  const Item* joint = findJoint(item, builder);
  if (joint == nullptr) return;
  if (!joint->facts().hasRotation) {
    return failSensor(builder, item, "joint", "a " + joint->type() + " has no angle",
                      builder.listTypes("joints", &system::TypeFacts::hasRotation) + " have one");
  }
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  if (const double pitch = pitchOf(*joint); pitch != 0.0) {
    const ScrewAngleMeasure::Parameters<double> p{c->frames, pitch};
    addCoordinate<ScrewAngleMeasure>(item, *c, 0, p, builder);
  } else {
    const int turns = findTurns("joints", joint->name(), *c, builder).history;
    addCoordinate<CoordinateMeasure<RotationCoordinate>>(item, *c, turns, c->frames, builder);
  }
}

// Whether the rotation of the joint is meant, or its translation; reports if there is none.
std::optional<bool> findCoordinate(const Item& item, const Item& joint, Builder& builder) {
  const bool rotation = joint.facts().hasRotation, translation = joint.facts().hasTranslation;
  if (!rotation && !translation) {
    failSensor(builder, item, "joint", "a " + joint.type() + " has no coordinate",
               builder.listTypes("joints", &system::TypeFacts::hasRotation) + " have a rotation, " +
                   builder.listTypes("joints", &system::TypeFacts::hasTranslation) +
                   " a translation");
    return std::nullopt;
  }
  if (!item.has("coordinate")) return rotation;
  const std::string& word = item.text("coordinate");
  if (word == "rotation" ? rotation : translation) return word == "rotation";
  failSensor(builder, item, "coordinate", "a " + joint.type() + " has no " + word);
  return std::nullopt;
}

// The rate (1) or the acceleration (2) of a coordinate.
template <template <class> class Measure, int kDerivative>
void makeDerivative(const Item& item, Builder& builder) {
  const Item* joint = findJoint(item, builder);
  if (joint == nullptr || addGuideCoordinate(item, *joint, kDerivative, builder)) return;
  const std::optional<bool> isRotation = findCoordinate(item, *joint, builder);
  if (!isRotation) return;
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  if (*isRotation) {
    addCoordinate<Measure<RotationCoordinate>>(item, *c, 0, c->frames, builder);
  } else {
    addCoordinate<Measure<TranslationCoordinate>>(item, *c, 0, c->frames, builder);
  }
}

std::string sample(const char* sensors, const char* read) {
  return twoBodies() + R"(
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], damping: 0.1}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2], translation: {stiffness: 100}}
sensors:
)" + sensors +
         readByBlock(read);
}

constexpr const char* kScrewSample = R"(
joints:
  s: {type: screw, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], pitch: 1.1}
sensors:
  phi: {measure: angle, joint: s}
)";

}  // namespace

void makeJointDisplacement(const Item& item, Builder& builder) {
  const Item* joint = findJoint(item, builder);
  if (joint == nullptr || addGuideCoordinate(item, *joint, 0, builder)) return;
  if (!joint->facts().hasTranslation) {
    return failSensor(
        builder, item, "joint", "a " + joint->type() + " has no displacement",
        builder.listTypes("joints", &system::TypeFacts::hasTranslation) + " have one");
  }
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  addCoordinate<CoordinateMeasure<TranslationCoordinate>>(item, *c, 0, c->frames, builder);
}

void makeJointAcceleration(const Item& item, Builder& builder) {
  makeDerivative<CoordinateAccelerationMeasure, 2>(item, builder);
}

Parameter coordinateParameter() {
  return system::withNote(system::choice("coordinate", {"rotation", "translation"},
                                         "the coordinate, for a joint that has both"),
                          "the rotation, if there is one");
}

void registerCoordinateMeasures(system::Registry& registry) {
  const Parameter joint = required(system::thing("joint", "joints", "the joint"));
  using Arrow = system::TypeFacts::Arrow;
  registry.add({.section = "sensors",
                .type = "angle",
                .doc = "Angle of a joint about its axis since the start, counted over many turns.",
                .parameters = {joint},
                .make = makeAngle,
                .samples = {sample(R"(
  phi: {measure: angle, joint: h}
  psi: {measure: angle, joint: c}
  travel: {measure: displacement, joint: c}
)",
                                   "phi, phi.rate, -psi, travel, travel.rate"),
                            twoBodies() + kScrewSample + readByBlock("phi, phi.rate")},
                .facts = {.unit = "rad", .hasRate = true, .arrow = Arrow::kRound}});
  registry.add({.section = "sensors",
                .type = "rate",
                .doc = "Time derivative of the coordinate of a joint.",
                .parameters = {joint, coordinateParameter()},
                .make = makeDerivative<CoordinateRateMeasure, 1>,
                .samples = {sample(R"(
  r1: {measure: rate, joint: h}
  r2: {measure: rate, joint: c, coordinate: translation}
)",
                                   "r1, r1.rate, r2, r2.rate")},
                .facts = {.hasRate = true, .arrow = Arrow::kRound}});
}

}  // namespace flexloop::mechanics
