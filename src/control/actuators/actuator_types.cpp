// Section `actuators`: signals that become forces, torques and prescribed motions.
#include <algorithm>
#include <array>
#include <memory>
#include <numbers>

#include "control/actuators/actuator.hpp"
#include "control/actuators/actuator_samples.hpp"
#include "control/blocks/block_maker.hpp"
#include "mechanics/guides/guide_place.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/loads/actuation_makers.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using mechanics::Connection;
using system::Builder;
using system::Item;
using system::Parameter;
using system::TypeFacts;
using system::UnknownIndex;

namespace {

// On what an actuator acts.
constexpr std::array<const char*, 3> kTargets{"node", "joint", "between"};

// A key, and the targets with which it has a meaning.
struct Key {
  const char* name;
  bool ofNode, ofJoint, ofPair;
};
constexpr std::array<Key, 6> kKeys{{{"direction", true, false, true},
                                    {"frame", true, false, false},
                                    {"coordinate", false, true, false},
                                    {"at", false, false, true},
                                    {"to", false, false, true},
                                    {"axis", false, false, true}}};

bool refuseKeys(const Item& item, const std::string& target, Builder& builder) {
  for (const Key& key : kKeys) {
    const bool fits = target == "node" ? key.ofNode : target == "joint" ? key.ofJoint : key.ofPair;
    if (fits || !item.has(key.name)) continue;
    fail(builder, item, key.name,
         std::string("'") + key.name + "' cannot be combined with '" + target + "'");
    return true;
  }
  return false;
}

// The key that names the target; reports if there is none or more than one, and keys that do not fit.
std::string findTarget(const Item& item, Builder& builder) {
  std::vector<std::string> given;
  for (const char* target : kTargets) {
    if (item.has(target)) given.emplace_back(target);
  }
  if (given.size() != 1) {
    fail(builder, item, given.empty() ? "" : given.back(),
         given.empty() ? "it has no target"
                       : "'" + given[0] + "' and '" + given[1] + "' cannot be combined",
         "give one of 'node', 'joint' or 'between'");
    return {};
  }
  return refuseKeys(item, given.front(), builder) ? std::string() : given.front();
}

ActuatorDynamics readDynamics(const Item& item, Builder& builder) {
  constexpr double kUsualDamping = 0.7;
  if (item.has("time_constant") && item.has("frequency")) {
    fail(builder, item, "frequency", "'time_constant' and 'frequency' cannot be combined",
         "a time constant gives first-order dynamics, a frequency second-order dynamics");
  }
  if (item.has("damping") && !item.has("frequency")) {
    fail(builder, item, "damping", "'damping' needs 'frequency'");
  }
  if (item.has("time_constant")) return {.order = 1, .timeConstant = item.number("time_constant")};
  if (!item.has("frequency")) return {};
  return {.order = 2,
          .frequency = 2.0 * std::numbers::pi * item.number("frequency"),
          .damping = item.number("damping", kUsualDamping)};
}

// The signal with the actuator's name.
UnknownIndex addLaw(const Item& item, Builder& builder) {
  auto law = std::make_unique<ActuatorLaw>(item.number("gain"), readRange(item, builder),
                                           readDynamics(item, builder));
  addBlock(item, std::move(law), inputsOf(item, "input", builder), builder);
  return builder.findSignal(item.name());
}

void actOnNode(const Item& item, bool isTorque, UnknownIndex signal, Builder& builder) {
  if (!item.has("direction")) {
    return fail(builder, item, "", "'direction' is missing",
                "a force or torque on a node needs a direction, in ground axes or, with `frame: "
                "body`, in node axes");
  }
  mechanics::NodeAction action;
  action.node = builder.node(item, "node");
  (isTorque ? action.torque : action.force) = item.vector("direction").normalized();
  const bool inBody = item.has("frame") && item.text("frame") == "body";
  action.axes = inBody ? mechanics::LoadAxes::kBody : mechanics::LoadAxes::kGround;
  if (builder.isHeld(action.node)) {
    builder.diagnostics().addWarning(
        item.placeOf("node"), "actuators." + item.name() + ": '" + builder.nodeName(action.node) +
                                  "' cannot move, so the actuator has no effect");
  }
  mechanics::addNodeActuator(item.name(), action, signal, builder);
}

// A force along a direction of the first node, on the displacement of the second like a linear spring.
void actAlong(const Item& item, UnknownIndex signal, Builder& builder) {
  for (const char* key : {"at", "to"}) {
    if (!item.has(key)) continue;
    fail(builder, item, key, std::string("'") + key + "' cannot be combined with 'direction'",
         "without 'direction' the force acts along the line between the two points");
  }
  const auto nodes = mechanics::findEnds(item, builder);
  const auto direction = mechanics::findDirection(item, "direction", builder);
  if (!nodes || !direction) return;
  const Connection c = mechanics::connect(
      *nodes, {mechanics::makeAxesAlong(*direction), mechanics::findPlace(item, builder, *nodes)},
      builder);
  mechanics::addCoordinateActuator(item.name(), c, false, signal, builder);
}

void actBetween(const Item& item, bool isTorque, UnknownIndex signal, Builder& builder) {
  if (item.has("direction") && isTorque) {
    return fail(builder, item, "direction", "'direction' cannot be combined with 'between'",
                "a torque between two nodes acts about an 'axis'");
  }
  if (item.has("direction")) return actAlong(item, signal, builder);
  if (!isTorque) {
    const auto line = mechanics::findLine(item, builder);
    if (line) mechanics::addLineActuator(item.name(), *line, signal, builder);
    return;
  }
  const auto nodes = mechanics::findEnds(item, builder);
  if (!nodes) return;
  if (!item.has("axis")) {
    return fail(builder, item, "", "'axis' is missing",
                "a torque between two nodes acts about an axis that is fixed to the first; give it "
                "in ground axes at the start");
  }
  const auto axis = mechanics::findDirection(item, "axis", builder);
  if (axis) mechanics::addTorqueActuator(item.name(), *nodes, *axis, signal, builder);
}

const char* wordOf(bool isRotation) {
  return isRotation ? "rotation" : "translation";
}

// A joint with the coordinate on which an actuator acts.
struct JointCoordinate {
  const Item* joint;
  Connection connection;
  bool isRotation;

  // Whether the joint is locked or driven.
  bool isHeld(const Builder& builder) const {
    const std::string part = joint->name() + "/" + wordOf(isRotation) + " constraint";
    return builder.findAttachment("joints", part) != nullptr;
  }
};

std::optional<JointCoordinate> findCoordinate(const Item& item, bool isRotation, Builder& builder) {
  const Item* joint = mechanics::findMade("joints", item.text("joint"), builder);
  if (joint == nullptr) return std::nullopt;
  const auto fact = isRotation ? &TypeFacts::hasRotation : &TypeFacts::hasTranslation;
  if (!(joint->facts().*fact)) {
    fail(builder, item, "joint", "a " + joint->type() + " has no " + wordOf(isRotation),
         builder.listTypes("joints", fact) + " have one");
    return std::nullopt;
  }
  const auto c = mechanics::findJointConnection(*joint, builder);
  if (!c) return std::nullopt;
  return JointCoordinate{joint, *c, isRotation};
}

// The position along a beam, if the joint has one.
std::optional<mechanics::PlaceInMachine<mechanics::AlongGuide>> findGuide(const Item& item,
                                                                          const Builder& builder) {
  const Item* joint = mechanics::findMade("joints", item.text("joint"), builder);
  if (joint == nullptr) return std::nullopt;
  return mechanics::findGuidePlace(*joint, builder);
}

bool isGuideHeld(const std::string& joint, const Builder& builder) {
  return builder.findAttachment("joints", joint + "/position constraint") != nullptr;
}

void actOnJoint(const Item& item, bool isTorque, UnknownIndex signal, Builder& builder) {
  if (item.has("coordinate") && item.text("coordinate") != wordOf(isTorque)) {
    return fail(builder, item, "coordinate",
                "a " + item.type() + " cannot act on a " + item.text("coordinate"),
                "a torque acts on a rotation, a force on a translation");
  }
  const auto warnIfHeld = [&](bool isHeld) {
    if (!isHeld) return;
    builder.diagnostics().addWarning(
        item.placeOf("joint"), "actuators." + item.name() + ": the " + wordOf(isTorque) + " of '" +
                                   item.text("joint") +
                                   "' is locked or driven, so the actuator has no effect");
  };
  if (const auto guide = findGuide(item, builder); guide && !isTorque) {
    warnIfHeld(isGuideHeld(item.text("joint"), builder));
    return mechanics::addGuideActuator(item.name(), *guide, signal, builder);
  }
  const auto found = findCoordinate(item, isTorque, builder);
  if (!found) return;
  warnIfHeld(found->isHeld(builder));
  mechanics::addCoordinateActuator(item.name(), found->connection, isTorque, signal, builder);
}

template <bool isTorque>
void makeAction(const Item& item, Builder& builder) {
  const UnknownIndex signal = addLaw(item, builder);
  const std::string target = findTarget(item, builder);
  if (target == "node") actOnNode(item, isTorque, signal, builder);
  if (target == "joint") actOnJoint(item, isTorque, signal, builder);
  if (target == "between") actBetween(item, isTorque, signal, builder);
}

void makeMotion(const Item& item, Builder& builder) {
  const UnknownIndex signal = addLaw(item, builder);
  const Item* joint = mechanics::findMade("joints", item.text("joint"), builder);
  if (joint == nullptr) return;
  const auto failAsHeld = [&] {
    fail(builder, item, "joint", "'" + joint->name() + "' is already locked or driven",
         "remove 'locked' or 'drive' of the joint, or this actuator");
  };
  if (const auto guide = findGuide(item, builder)) {
    if (isGuideHeld(joint->name(), builder)) return failAsHeld();
    return mechanics::addGuideDrive(*joint, *guide, signal, builder);
  }
  const bool isRotation = item.has("coordinate")
                              ? item.text("coordinate") == "rotation"
                              : !joint->facts().hasTranslation || joint->facts().hasRotation;
  const auto found = findCoordinate(item, isRotation, builder);
  if (!found) return;
  const JointCoordinate other{joint, found->connection, !isRotation};
  if (found->isHeld(builder) || (mechanics::pitchOf(*joint) != 0.0 && other.isHeld(builder))) {
    return failAsHeld();
  }
  if (isRotation) {
    mechanics::addDrive<mechanics::RotationCoordinate>(*joint, found->connection, signal, builder);
  } else {
    mechanics::addDrive<mechanics::TranslationCoordinate>(*joint, found->connection, signal,
                                                          builder);
  }
}

// What every actuator makes of its input.
std::vector<Parameter> lawParameters(base::Dimension dimension, bool anyDimension) {
  using namespace system;
  Parameter limits = withNote(
      counted(numbers("limits", dimension, "lower and upper limit, after the gain"), 2), "none");
  limits.anyDimension = anyDimension;
  return {required(anyUnit(signal("input", dimension, "the signal that commands the actuator"))),
          withDefault(anyUnit(number("gain", base::kDimensionless, "factor applied to the input")),
                      "1"),
          limits,
          withNote(positive(number("time_constant", base::kTime,
                                   "time constant T of first-order dynamics, after the limits")),
                   "no dynamics"),
          withNote(positive(number("frequency", base::kFrequency,
                                   "natural frequency of second-order dynamics, after the limits")),
                   "no dynamics"),
          withNote(notNegative(number("damping", base::kDimensionless,
                                      "damping ratio of second-order dynamics")),
                   "0.7")};
}

std::vector<Parameter> jointParameters() {
  using namespace system;
  return {thing("joint", "joints", "the joint on whose free coordinate it acts"),
          choice("coordinate", {"rotation", "translation"},
                 "the coordinate, for a joint that has both")};
}

std::vector<Parameter> nodeParameters() {
  using namespace system;
  return {node("node", "the node on which it acts"),
          nonZero(inAxesOf(
              groundDirection(
                  vector("direction", base::kDimensionless,
                         "direction on a node, or of a force between two nodes, with the first of "
                         "which it then turns; its length does not matter")),
              {"frame"})),
          withNote(choice("frame", {"ground", "body"},
                          "axes of the direction: those of ground, or those of the node, with "
                          "which it then turns"),
                   "ground")};
}

}  // namespace

void registerActuators(system::Registry& registry) {
  using namespace system;
  using Arrow = TypeFacts::Arrow;
  const auto hasLimits = [](const Item& item) { return item.has("limits"); };
  const std::vector<Parameter> common = joined(nodeParameters(), jointParameters());
  const std::vector<Parameter> line{
      nodePair("between",
               "the two nodes between which it acts, along the line through them or along "
               "`direction`"),
      withNote(groundPoint(vector("at", base::kLength,
                                  "the point on the first node, in ground axes at the start")),
               "the node itself"),
      withNote(groundPoint(vector("to", base::kLength,
                                  "the point on the second node, in ground axes at the start")),
               "the node itself")};
  const std::vector<Parameter> pair{
      nodePair("between", "the two nodes between which it acts; positive on the second"),
      nonZero(groundDirection(
          vector("axis", base::kDimensionless,
                 "axis of a torque between two nodes, fixed to the first, in ground axes at "
                 "the start")))};
  registry.add({.section = "actuators",
                .type = "force",
                .doc =
                    "A force on a node, on the translation of a joint, or between two nodes; "
                    "between nodes it is positive when it pushes them apart, or, with `direction`, "
                    "when it pushes the second along it.",
                .parameters = joined(joined(common, line), lawParameters(base::kForce, false)),
                .make = makeAction<false>,
                .samples = forceSamples(),
                .facts = {.unit = "N", .limits = hasLimits, .arrow = Arrow::kStraight},
                .changesEnergy = true});
  registry.add({.section = "actuators",
                .type = "torque",
                .doc = "A torque on a node, on the rotation of a joint, or between two nodes.",
                .parameters = joined(joined(common, pair), lawParameters(base::kTorque, false)),
                .make = makeAction<true>,
                .samples = torqueSamples(),
                .facts = {.unit = "N*m", .limits = hasLimits, .arrow = Arrow::kRound},
                .changesEnergy = true});
  registry.add({.section = "actuators",
                .type = "motion",
                .doc = "Prescribes the coordinate of a joint, as `drive` of the joint does.",
                .parameters = joined({required(jointParameters()[0]), jointParameters()[1]},
                                     lawParameters(base::kDimensionless, true)),
                .make = makeMotion,
                .samples = motionSamples(),
                .facts = {.limits = hasLimits},
                .changesEnergy = true});
}

}  // namespace flexloop::control
