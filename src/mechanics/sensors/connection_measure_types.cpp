// Sensors of the forces and torques of joints, springs and contacts.
#include "mechanics/contacts/contact_parts.hpp"
#include "mechanics/guides/guide_measures.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/sensors/measures.hpp"
#include "mechanics/sensors/reaction_measure.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/elements.hpp"
#include "system/measure_of.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;
using system::thing;

namespace {

using NoScalars = std::array<system::UnknownIndex, 0>;

// The second node of a connection and the point of it about which torques are taken.
std::optional<std::pair<NodeIndex, math::Vec3<double>>> findPoint(const Item& owner,
                                                                  Builder& builder) {
  if (owner.fact(&system::TypeFacts::isAlongLine)) {
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

// On the second node, about its origin.
void makeContactReaction(ReactionMeasure::Kind kind, const Item& item, Builder& builder) {
  const Item* owner = findMade("contacts", item.text("contact"), builder);
  if (owner == nullptr) return;
  std::vector<Builder::Attachment> parts = findNormalParts(builder, owner->name());
  if (parts.empty()) {
    const bool isLimit = owner->has("joint");
    return failSensor(builder, item, "contact",
                      "the contact '" + owner->name() + "' does not act between two " +
                          (isLimit ? "nodes" : "shapes"),
                      isLimit ? "measure the 'force' of its joint, which is that of the beam"
                              : "measure 'wall_force' or 'normal_force' of a group of spheres");
  }
  const NodeIndex node = parts.front().set->node(parts.front().element, 1);
  for (const auto& part : findFrictionParts(builder, owner->name())) parts.push_back(part);
  const auto axes = findAxes(item, node, builder);
  if (!axes) return;
  auto measure =
      std::make_unique<ReactionMeasure>(kind, parts, node, math::Vec3<double>::Zero(), *axes);
  addVectorMeasure(item, std::move(measure), builder);
}

template <ReactionMeasure::Kind kKind>
void makeReaction(const Item& item, Builder& builder) {
  const int owners = static_cast<int>(item.has("joint")) + static_cast<int>(item.has("spring")) +
                     static_cast<int>(item.has("contact"));
  if (owners != 1) {
    return failSensor(builder, item, "joint", "one of 'joint', 'spring' and 'contact' is needed");
  }
  if (item.has("contact")) return makeContactReaction(kKind, item, builder);
  const std::string section = item.has("joint") ? "joints" : "springs";
  const std::string& name = item.text(item.has("joint") ? "joint" : "spring");
  const Item* owner = findMade(section, name, builder);
  if (owner == nullptr) return;
  if (kKind == ReactionMeasure::Kind::kForce && addGuideForce(item, *owner, builder)) return;
  const Builder::Attachment& attachment = *builder.findAttachment(section, name);
  if (attachment.set->nodes(attachment.element) != 2) {
    return failSensor(builder, item, "joint",
                      "a " + owner->type() + " does not act between two nodes",
                      owner->has("beam") ? "measure the 'force' on its node"
                                         : "measure 'transmitted' of it, or the forces of the "
                                           "joints that it connects");
  }
  const auto point = findPoint(*owner, builder);
  if (!point) return;
  const auto axes = findAxes(item, point->first, builder);
  if (!axes) return;
  auto measure = std::make_unique<ReactionMeasure>(kKind, findParts(builder, section, name),
                                                   point->first, point->second, *axes);
  addVectorMeasure(item, std::move(measure), builder);
}

void makeTension(const Item& item, Builder& builder) {
  const Item* spring = findMade("springs", item.text("spring"), builder);
  if (spring == nullptr) return;
  const Builder::Attachment& part = *builder.findAttachment("springs", spring->name());
  const auto* set = dynamic_cast<const system::Elements<DistanceSpring>*>(part.set);
  if (set == nullptr) {
    return failSensor(builder, item, "spring", "'" + spring->name() + "' does not act along a line",
                      "springs of type distance have a tension");
  }
  const std::array<NodeIndex, 2> nodes{set->node(part.element, 0), set->node(part.element, 1)};
  builder.addMeasure(item.name(), std::make_unique<system::MeasureOf<TensionMeasure>>(
                                      nodes, NoScalars{}, 0, set->parameters(part.element)));
}

std::string sample(const char* sensors, const char* read) {
  return twoBodies() + R"(
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], damping: 0.1}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2], translation: {stiffness: 100},
      rotation: {drive: turn}}
  d: {type: distance, between: [A, B], to: [0.6, 0.5, 0]}
  x: {type: screw, between: [ground, B], axis: [1, 0.5, 2], pitch: 0.7, locked: true}
springs:
  s: {type: distance, between: [ground, B], at: [1, 1, 1], stiffness: 90, damping: 2}
  k: {type: linear, between: [A, B], direction: [1, 2, 0], stiffness: 90, damping: 2}
  t: {type: torsional, between: [A, B], axis: [1, 2, 0], stiffness: 9, damping: 2}
  b: {type: bushing, between: [A, B], stiffness: [3, 2, 4, 3, 1, 2], damping: [1, 0, 2, 1, 0, 1]}
sensors:
)" + sensors +
         readByBlock(read, "  turn: {type: table, time: [0, 2], value: [0, 0.6]}\n");
}

}  // namespace

void registerConnectionMeasures(system::Registry& registry) {
  using Arrow = system::TypeFacts::Arrow;
  const auto add = [&](const char* type, const system::TypeFacts& facts, const char* doc,
                       std::vector<Parameter> parameters, void (*make)(const Item&, Builder&),
                       std::vector<std::string> samples) {
    registry.add({"sensors", type, doc, std::move(parameters), make, std::move(samples), facts});
  };
  // The force of a constraint has none.
  const auto hasRate = [](const Item& item) { return !item.has("joint"); };
  const Parameter joint = thing("joint", "joints", "the joint");
  const Parameter spring = thing("spring", "springs", "the spring, instead of a joint");
  const Parameter contact = thing("contact", "contacts", "the contact, instead of a joint");
  const std::vector<Parameter> reaction = joined({joint, spring, contact}, vectorParameters());
  add("force", {.unit = "N", .hasRate = hasRate, .arrow = Arrow::kStraight},
      "Force of a joint or spring on its second node, including that of the joint's own spring, "
      "lock, drive, friction, latch and limits; of a contact, on the node of the shape, or of the "
      "second shape; of a limit, on the second node of its joint. Impacts have no part in it.",
      reaction, makeReaction<ReactionMeasure::Kind::kForce>,
      {sample(R"(
  f1: {measure: force, joint: h}
  f2: {measure: force, spring: s, direction: [1, 2, 2], frame: A}
  f3: {measure: force, joint: c, direction: [1, 2, 2], frame: B}
  f4: {measure: force, joint: d, frame: body}
  f5: {measure: force, joint: x}
)",
              "f1.x, -f1.z, f2, f2.rate, f3, f4.y, f5.z"),
       sample(R"(
  f1: {measure: force, spring: k, frame: body}
  f2: {measure: force, spring: t}
  f3: {measure: force, spring: b, frame: A}
)",
              "f1.x, f1.y.rate, f2.x, f2.x.rate, f3.x, f3.z.rate")});
  add("torque", {.unit = "N*m", .hasRate = hasRate, .arrow = Arrow::kRound},
      "Torque of a joint or spring on its second node, about the place of the joint, including "
      "that of the joint's own spring, lock, drive, friction, latch and limits; of a contact or a "
      "limit, about that node.",
      reaction, makeReaction<ReactionMeasure::Kind::kTorque>,
      {sample(R"(
  m1: {measure: torque, joint: h, frame: body}
  m2: {measure: torque, spring: s}
  m3: {measure: torque, joint: x}
  m4: {measure: torque, joint: c, frame: A}
)",
              "m1.x, m1.y, m2.x, m2.x.rate, m3.z, m4.y"),
       sample(R"(
  m1: {measure: torque, spring: t, direction: [1, 2, 0]}
  m2: {measure: torque, spring: b}
)",
              "m1, m1.rate, m2.x, m2.z.rate")});
  add("tension", {.unit = "N", .hasRate = true},
      "Tension of a distance spring; positive if it pulls its ends together.",
      {required(thing("spring", "springs", "the spring"))}, makeTension,
      {sample(R"(
  t1: {measure: tension, spring: s}
)",
              "t1, t1.rate")});
}

}  // namespace flexloop::mechanics
