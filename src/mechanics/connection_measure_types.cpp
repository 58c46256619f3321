// Sensors on joints and springs: coordinates, their rates, forces and torques.
#include <numbers>

#include "mechanics/connection.hpp"
#include "mechanics/joint_types.hpp"
#include "mechanics/measure_makers.hpp"
#include "mechanics/measures.hpp"
#include "mechanics/reaction_measure.hpp"
#include "mechanics/sample_models.hpp"
#include "system/parameter_makers.hpp"
#include "system/sensor.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;
using system::thing;

namespace {

using NoScalars = std::array<system::UnknownIndex, 0>;

void fail(Builder& builder, const Item& item, std::string_view key, const std::string& message,
          const std::string& hint = {}) {
  builder.error(item.placeOf(key), "sensors." + item.name() + ": " + message, hint);
}

bool hasRotation(const std::string& type) {
  return type == "hinge" || type == "cylindrical" || type == "planar" || type == "screw";
}

bool hasTranslation(const std::string& type) {
  return type == "slider" || type == "cylindrical" || type == "screw";
}

// The item of a joint that has been made; nothing after a mistake in it, which has been reported.
const Item* findMade(const std::string& section, const std::string& name, const Builder& builder) {
  const Item* found = builder.findItem(section, name);
  return builder.findAttachment(section, name) != nullptr ? found : nullptr;
}

const Item* findJoint(const Item& item, const Builder& builder) {
  return findMade("joints", item.text("joint"), builder);
}

// Where the turns of the joint's angle are kept; makes someone count them if nobody does.
int findTurns(const Item& joint, const Connection& c, Builder& builder) {
  const std::string part = joint.name() + std::string(kTurnsPart);
  if (builder.findAttachment("joints", part) == nullptr) {
    auto& set = builder.elements<TurnCounter>();
    const int element = set.add(joint.name(), c.nodes, {}, {c.frames}, builder.addHistory(1));
    builder.attach("joints", part, {&set, element});
  }
  const Builder::Attachment* found = builder.findAttachment("joints", part);
  return found->set->historyOffset(found->element);
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
  if (!hasRotation(joint->type())) {
    return fail(builder, item, "joint", "a " + joint->type() + " has no angle",
                "hinge, cylindrical, planar and screw have one");
  }
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  if (joint->type() == "screw") {
    const double pitch = joint->number("pitch") / (2.0 * std::numbers::pi);
    const ScrewAngleMeasure::Parameters<double> p{c->frames, pitch};
    addCoordinate<ScrewAngleMeasure>(item, *c, 0, p, builder);
  } else {
    const int turns = findTurns(*joint, *c, builder);
    addCoordinate<CoordinateMeasure<RotationCoordinate>>(item, *c, turns, c->frames, builder);
  }
}

void makeRate(const Item& item, Builder& builder) {
  const Item* joint = findJoint(item, builder);
  if (joint == nullptr) return;
  const bool rotation = hasRotation(joint->type()), translation = hasTranslation(joint->type());
  if (!rotation && !translation) {
    return fail(builder, item, "joint", "a " + joint->type() + " has no coordinate",
                "hinge, slider, cylindrical, planar and screw have one");
  }
  const std::string word =
      item.has("coordinate") ? item.text("coordinate") : (rotation ? "rotation" : "translation");
  if (word == "rotation" ? !rotation : !translation) {
    return fail(builder, item, "coordinate", "a " + joint->type() + " has no " + word);
  }
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  if (word == "rotation") {
    addCoordinate<CoordinateRateMeasure<RotationCoordinate>>(item, *c, 0, c->frames, builder);
  } else {
    addCoordinate<CoordinateRateMeasure<TranslationCoordinate>>(item, *c, 0, c->frames, builder);
  }
}

bool actsAlongLine(const Item& owner) {
  return owner.type() == "distance" || (owner.type() == "damper" && !owner.has("direction"));
}

// The second node of a connection and the point of it about which torques are taken.
std::optional<std::pair<NodeIndex, math::Vec3<double>>> findPoint(const Item& owner,
                                                                  Builder& builder) {
  if (actsAlongLine(owner)) {
    const auto found = findLine(owner, builder);
    if (!found) return std::nullopt;
    return std::pair(found->nodes[1], found->points.p_B);
  }
  const auto nodes = findEnds(owner, builder);
  if (!nodes) return std::nullopt;
  const math::Frame<double>& second = builder.frame((*nodes)[1]);
  const math::Vec3<double> arm = findPlace(owner, builder, *nodes) - second.x;
  return std::pair((*nodes)[1], math::Vec3<double>(second.R.transpose() * arm));
}

template <ReactionMeasure::Part kPart>
void makeReaction(const Item& item, Builder& builder) {
  if (item.has("joint") == item.has("spring")) {
    return fail(builder, item, "joint", "one of 'joint' and 'spring' is needed");
  }
  const std::string section = item.has("joint") ? "joints" : "springs";
  const std::string& name = item.text(item.has("joint") ? "joint" : "spring");
  const Item* owner = findMade(section, name, builder);
  if (owner == nullptr) return;
  const auto point = findPoint(*owner, builder);
  if (!point) return;
  const auto axes = findAxes(item, point->first, builder);
  if (!axes) return;
  addVectorMeasure(item,
                   std::make_unique<ReactionMeasure>(kPart, findParts(builder, section, name),
                                                     point->first, point->second, *axes),
                   builder);
}

void makeTension(const Item& item, Builder& builder) {
  const Item* spring = findMade("springs", item.text("spring"), builder);
  if (spring == nullptr) return;
  if (!actsAlongLine(*spring)) {
    return fail(builder, item, "spring", "'" + spring->name() + "' does not act along a line",
                "springs of type distance have a tension");
  }
  const Builder::Attachment& part = *builder.findAttachment("springs", spring->name());
  const auto* set = static_cast<const system::Elements<DistanceSpring>*>(part.set);
  const std::array<NodeIndex, 2> nodes{set->node(part.element, 0), set->node(part.element, 1)};
  builder.addMeasure(item.name(), std::make_unique<system::MeasureOf<TensionMeasure>>(
                                      nodes, NoScalars{}, 0, set->parameters(part.element)));
}

std::string sample(const char* sensors) {
  return twoBodies() + R"(
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], damping: 0.1}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2], translation: {stiffness: 100}}
springs:
  s: {type: distance, between: [ground, B], at: [1, 1, 1], stiffness: 90, damping: 2}
sensors:
)" + sensors;
}

}  // namespace

void makeJointDisplacement(const Item& item, Builder& builder) {
  const Item* joint = findJoint(item, builder);
  if (joint == nullptr) return;
  if (!hasTranslation(joint->type())) {
    return fail(builder, item, "joint", "a " + joint->type() + " has no displacement",
                "slider, cylindrical and screw have one");
  }
  const auto c = findJointConnection(*joint, builder);
  if (!c) return;
  addCoordinate<CoordinateMeasure<TranslationCoordinate>>(item, *c, 0, c->frames, builder);
}

void registerConnectionMeasures(system::Registry& registry) {
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> parameters,
                       void (*make)(const Item&, Builder&), const char* sensors) {
    registry.add({"sensors", type, doc, std::move(parameters), make, {sample(sensors)}});
  };
  const Parameter joint = thing("joint", "joints", "the joint");
  const Parameter spring = thing("spring", "springs", "the spring, instead of a joint");
  add("angle", "Angle of a joint about its axis since the start, counted over many turns.",
      {required(joint)}, makeAngle, R"(
  phi: {measure: angle, joint: h}
  psi: {measure: angle, joint: c}
  travel: {measure: displacement, joint: c}
)");
  add("rate", "Time derivative of the coordinate of a joint.",
      {required(joint), system::withNote(system::choice("coordinate", {"rotation", "translation"},
                                                        "which one, of a joint that has both"),
                                         "the rotation, if there is one")},
      makeRate, R"(
  r1: {measure: rate, joint: h}
  r2: {measure: rate, joint: c, coordinate: translation}
)");
  const std::vector<Parameter> reaction = joined({joint, spring}, vectorParameters());
  add("force",
      "Force of a joint or spring on its second node, with that of the joint's own spring, lock or "
      "drive.",
      reaction, makeReaction<ReactionMeasure::Part::kForce>, R"(
  f1: {measure: force, joint: h}
  f2: {measure: force, spring: s, direction: [1, 2, 2], frame: A}
)");
  add("torque",
      "Torque of a joint or spring on its second node, about the place of the joint, with that of "
      "the joint's own spring, lock or drive.",
      reaction, makeReaction<ReactionMeasure::Part::kTorque>, R"(
  m1: {measure: torque, joint: h, frame: body}
  m2: {measure: torque, spring: s}
)");
  Parameter tensioned = thing("spring", "springs", "the spring");
  add("tension", "Tension of a distance spring; positive where it pulls its ends together.",
      {required(std::move(tensioned))}, makeTension, R"(
  t1: {measure: tension, spring: s}
)");
}

}  // namespace flexloop::mechanics
