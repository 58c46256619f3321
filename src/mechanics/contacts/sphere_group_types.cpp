// Type `spheres` of section `contacts`: many spheres against each other and against planes.
#include <algorithm>
#include <set>

#include "base/text_format.hpp"
#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/near_pairs.hpp"
#include "mechanics/contacts/sphere_group.hpp"
#include "mechanics/sample_models.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;

namespace {

class GroupReader {
 public:
  GroupReader(const Item& item, Builder& builder) : item_(item), builder_(builder) {}

  void make() {
    const std::size_t before = builder_.diagnostics().errors().size();
    const auto laws = readLaws(item_, builder_, 1.0);
    if (!laws || builder_.diagnostics().errors().size() > before) return;
    group_.laws = *laws;
    group_.name = item_.name();
    group_.isHertz = item_.has("hertz");
    const bool isRead = isSmooth() && readNodes() && readRadii() && readWalls();
    if (!isRead || !isApart() || !isInside()) return;
    group_.record = builder_.addRecord();
    auto& set = builder_.elementSet<SphereGroups>();
    builder_.attach("contacts", item_.name(), {&set, set.add(std::move(group_)), 0});
  }

 private:
  bool fail(std::string_view key, const std::string& message, const std::string& hint) {
    builder_.error(item_.has(key) ? item_.placeOf(key) : item_.place(),
                   "contacts." + item_.name() + ": " + message, hint);
    return false;
  }

  // Steps do not end where one of many contacts begins.
  bool isSmooth() {
    if (!hasKink(group_.laws.normal)) return true;
    return item_.has("table")
               ? fail("table", "the force of many spheres cannot be a table",
                      "give 'stiffness' and 'exponent', or 'hertz'")
               : fail("exponent", "the exponent of many spheres is less than 1.5",
                      "give 1.5 or more; a softer start of the force lets steps go through it");
  }

  bool readNodes() {
    std::set<int> known;
    for (const std::string& name : item_.names("nodes")) {
      const NodeIndex node = builder_.findNode(name);
      if (node.value < 0) return false;  // the reader has reported it
      if (!known.insert(node.value).second) {
        return fail("nodes", "the node '" + name + "' is listed twice", "list every node once");
      }
      group_.nodes.push_back(node);
    }
    if (!group_.nodes.empty()) return true;
    return fail("nodes", "the group has no spheres", "list the nodes of their centres");
  }

  bool readRadii() {
    group_.radii = item_.numbers("radius");
    if (group_.radii.size() == 1) group_.radii.resize(group_.nodes.size(), group_.radii.front());
    if (group_.radii.size() == group_.nodes.size()) return true;
    return fail("radius",
                "there are " + std::to_string(group_.nodes.size()) + " nodes and " +
                    std::to_string(group_.radii.size()) + " radii",
                "give one radius for all spheres, or one for each node");
  }

  bool readWalls() {
    if (!item_.has("walls")) return true;
    const std::set<int> spheres = [&] {
      std::set<int> nodes;
      for (const NodeIndex node : group_.nodes) nodes.insert(node.value);
      return nodes;
    }();
    for (const auto& [name, value] : std::get<system::ValueMap>(item_.at("walls").data)) {
      const auto plane = readPlane(item_.child("walls").child(name), builder_);
      if (!plane) return false;
      if (spheres.contains(plane->node.value)) {
        return fail("walls",
                    "the wall '" + name + "' belongs to the node '" +
                        builder_.nodeName(plane->node) + "' of one of the spheres",
                    "a sphere does not move relative to its own node; give another node");
      }
      const Item wall = item_.child("walls").child(name);
      std::optional<double> friction;
      if (wall.has("friction")) friction = wall.number("friction");
      if (friction && *friction > 0.0 && !group_.laws.friction) {
        return fail("walls", "the wall '" + name + "' has friction, and the spheres have none",
                    "give the contact a 'friction' too, if it is only a small one");
      }
      group_.walls.push_back({name, plane->node, plane->plane, friction});
    }
    return true;
  }

  // Of each other.
  bool isApart() {
    std::vector<Ball> balls;
    for (int i = 0; i < group_.spheres(); ++i) {
      balls.push_back({builder_.frame(group_.nodes[i]).x, group_.radii[i]});
    }
    for (const auto& [a, b] : findNearPairs(balls, 0.0)) {
      const double depth =
          balls[a].radius + balls[b].radius - (balls[a].centre - balls[b].centre).norm();
      if (depth < std::min(balls[a].radius, balls[b].radius)) continue;
      return fail("nodes",
                  "the spheres of '" + builder_.nodeName(group_.nodes[a]) + "' and '" +
                      builder_.nodeName(group_.nodes[b]) + "' overlap by " +
                      base::formatText("%.3g", depth) +
                      " m at the start, by more than the radius of one of them",
                  "spheres start apart or slightly overlapping");
    }
    return true;
  }

  bool isInside() {
    system::Motion motion;
    for (const system::Node& node : builder_.system().nodes()) {
      motion.nodes.push_back({node.start, {}, {}});
    }
    for (int i = 0; i < group_.spheres(); ++i) {
      for (int w = 0; w < static_cast<int>(group_.walls.size()); ++w) {
        const double depth = -group_.gapToWall(motion, i, w);
        if (depth < group_.radii[i]) continue;
        return fail("walls",
                    "the sphere of '" + builder_.nodeName(group_.nodes[i]) +
                        "' overlaps the wall '" + group_.walls[w].name + "' by " +
                        base::formatText("%.3g", depth) +
                        " m at the start, by more than its radius",
                    "check the position and the normal, which points to the free side");
      }
    }
    return true;
  }

  const Item& item_;
  Builder& builder_;
  SphereGroup group_;
};

void makeSpheres(const Item& item, Builder& builder) {
  GroupReader(item, builder).make();
}

Parameter nodesParameter() {
  Parameter nodes;
  nodes.name = "nodes";
  nodes.shape = system::Shape::kNodes;
  nodes.doc = "the nodes at the centres of the spheres";
  return system::required(nodes);
}

std::vector<Parameter> wallFields() {
  using namespace system;
  return joined(planeFields(),
                {withNote(changingEnergy(notNegative(number("friction", base::kDimensionless,
                                                            "coefficient of dry friction on it"))),
                          "that of the contact")});
}

std::string sample(const char* law) {
  return twoBodies() + R"(  third: {node: C, mass: 0.5, inertia: [0.02, 0.03, 0.02]}
contacts:
  pile:
    type: spheres
    nodes: [A, C]
    radius: [0.6, 0.5]
    walls:
      floor: {at: [0, 0, -0.1], normal: [0.1, 0.2, 1]}
      lid: {node: B, at: [0.7, 0.4, 0.1], normal: [-0.2, 0.1, 1], friction: 0}
    )" + law +
         "\n";
}

std::string withThird(std::string text) {
  const std::string node =
      "  C: {position: [0.9, -0.5, 1.1], rotation: {axis: [0, 1, 0.3], angle: 20 deg}}\n";
  text.insert(text.find("bodies:"), node);
  return text;
}

}  // namespace

void registerSphereGroups(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "contacts",
       .type = "spheres",
       .doc =
           "Many spheres that touch each other and planes. Only those near each other cost time.",
       .parameters = joined({nodesParameter(),
                             required(positive(numbers(
                                 "radius", base::kLength,
                                 "radius of all spheres, or of each in the order of `nodes`"))),
                             withNote(byName("walls", map("wall", wallFields(), "a plane"),
                                             "planes by names of your choice"),
                                      "no planes")},
                            forceParameters(true)),
       .make = makeSpheres,
       .samples = {withThird(sample(
                       "stiffness: 40\n    exponent: 3\n    damping: 0.02\n    friction: 0.3")),
                   withThird(sample("hertz: {E: 30 Pa}\n    damping: 0.01"))}});
}

}  // namespace flexloop::mechanics
