// Types of section `contacts` between two round shapes.
#include <algorithm>

#include "mechanics/contacts/contact_maker.hpp"
#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/round_shapes.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;

namespace {

// A sphere or, with `axis` and `length`, a capsule of a node.
struct Round {
  NodeIndex node;
  Vec3<double> centre, half;  // axes of the node
  double radius = 0.0;
};

std::optional<Round> readRound(const Item& item, std::string_view key, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  const Item shape = item.child(key);
  Round round{builder.node(shape, "node"), {}, Vec3<double>::Zero(), shape.number("radius")};
  if (builder.diagnostics().errors().size() > before) return std::nullopt;
  round.centre = findCentre(shape, round.node, builder);
  if (!shape.has("length")) return round;
  const auto axis = findDirection(shape, "axis", builder);
  if (!axis) return std::nullopt;
  round.half = inNodeAxes(0.5 * shape.number("length") * *axis, round.node, builder);
  return round;
}

struct Pair {
  Round first, second;
  std::array<NodeIndex, 2> nodes;
  ContactLaws laws;

  double size() const { return std::min(first.radius, second.radius); }
};

std::optional<Pair> readPair(const Item& item, std::string_view firstKey,
                             std::string_view secondKey, Builder& builder) {
  const auto first = readRound(item, firstKey, builder),
             second = readRound(item, secondKey, builder);
  if (!first || !second) return std::nullopt;
  const std::array<NodeIndex, 2> nodes{first->node, second->node};
  if (!areApart(item, secondKey, nodes, builder)) return std::nullopt;
  const double radius = 1.0 / (1.0 / first->radius + 1.0 / second->radius);
  const auto laws = readLaws(item, builder, radius);
  if (!laws) return std::nullopt;
  const Vec3<double> gap = builder.frame(nodes[1]).x + builder.frame(nodes[1]).R * second->centre -
                           builder.frame(nodes[0]).x - builder.frame(nodes[0]).R * first->centre;
  if (first->half.isZero(0.0) && second->half.isZero(0.0) && gap.isZero(0.0)) {
    builder.error(item.place(), "contacts." + item.name() + ": the centres coincide at the start",
                  "there is no direction in which to push; move one of the shapes");
    return std::nullopt;
  }
  return Pair{*first, *second, nodes, *laws};
}

void makePair(const Item& item, std::string_view firstKey, std::string_view secondKey,
              Builder& builder) {
  const auto p = readPair(item, firstKey, secondKey, builder);
  if (!p) return;
  addContact<RoundPair>(item, p->nodes,
                        {{p->first.centre, p->first.half, p->second.centre, p->second.half,
                          p->first.radius, p->second.radius, p->size()}},
                        p->laws, builder);
}

void makeAlike(const Item& item, Builder& builder) {
  makePair(item, "first", "second", builder);
}

void makeCapsuleSphere(const Item& item, Builder& builder) {
  makePair(item, "capsule", "sphere", builder);
}

Parameter roundShape(const char* name, const char* doc, bool isCapsule) {
  using namespace system;
  std::vector<Parameter> fields{
      required(node("node", "the node that carries it")),
      required(positive(number("radius", base::kLength, "radius of the sphere"))),
      withNote(groundPoint(vector("at", base::kLength, "its centre, in ground axes at the start")),
               "the node")};
  if (isCapsule) {
    fields.push_back(
        required(positive(number("length", base::kLength, "length without the round ends"))));
    fields.push_back(required(nonZero(groundDirection(vector(
        "axis", base::kDimensionless, "direction of its axis, in ground axes at the start")))));
  }
  return required(map(name, std::move(fields), doc));
}

}  // namespace

void registerRoundContacts(system::Registry& registry) {
  using namespace system;
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> shapes,
                       void (*make)(const Item&, Builder&),
                       const std::vector<std::string>& samples) {
    registry.add({"contacts",
                  type,
                  doc,
                  joined(std::move(shapes), forceParameters(true)),
                  make,
                  samples,
                  {}});
  };
  add("sphere_sphere", "Two spheres.",
      {roundShape("first", "the first sphere", false), roundShape("second", "the second", false),
       restitutionParameter()},
      makeAlike,
      withRigid("type: sphere_sphere, first: {node: A, radius: %s, at: [0.2, -0.1, 0.6]}, "
                "second: {node: B, radius: 0.6}",
                {"0.7", "0.05"}));
  add("capsule_sphere", "A capsule, a cylinder with round ends, and a sphere.",
      {roundShape("capsule", "the capsule", true), roundShape("sphere", "the sphere", false)},
      makeCapsuleSphere,
      contactSamples("type: capsule_sphere, capsule: {node: A, radius: %s, length: 0.9, axis: [1, "
                     "0.2, -0.4]}, sphere: {node: B, radius: 0.4}",
                     {"0.6", "0.05"}));
  add("capsule_capsule", "Two capsules, cylinders with round ends.",
      {roundShape("first", "the first capsule", true), roundShape("second", "the second", true)},
      makeAlike,
      contactSamples(
          "type: capsule_capsule, first: {node: A, radius: %s, length: 1.1, axis: [1, "
          "0.2, -0.4]}, second: {node: B, radius: 0.4, length: 0.7, axis: [0.1, 1, 0.5]}",
          {"0.5", "0.05"}));
}

}  // namespace flexloop::mechanics
