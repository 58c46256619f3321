
#include "base/json.hpp"
#include "view/scene/body_shape.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {
namespace {

using math::Vec3;
using system::Item;

Json describeShape(const BodyShape& shape) {
  if (shape.type == "mesh") {
    return {{"type", "mesh"}, {"positions", shape.mesh.positions}, {"indices", shape.mesh.indices}};
  }
  if (shape.type == "sphere") return {{"type", "sphere"}, {"radius", shape.radius}};
  if (shape.type == "box") return {{"type", "box"}, {"size", toJson(shape.size)}};
  return {{"type", "cylinder"},
          {"radius", shape.radius},
          {"length", shape.length},
          {"axis", toJson(shape.axis)}};
}

}  // namespace

Json makeBodies(const SceneSource& source) {
  Json bodies = Json::array();
  forEachItem(source.model, "bodies", [&](const Item& item) {
    const BodyShape shape = findBodyShape(source, item);
    bodies.push_back(
        {{"name", item.name()},
         {"node", source.findNode(item.text("node"))},
         {"mass", item.number("mass")},
         {"com", toJson(Vec3<double>(item.vector("com")))},
         {"inertia", item.has("inertia") ? item.numbers("inertia") : std::vector<double>(3, 0.0)},
         {"shape", describeShape(shape)},
         {"offset", {{"position", toJson(shape.position)}, {"rotation", toJson(shape.rotation)}}},
         {"given", shape.isGiven}});
  });
  return bodies;
}

}  // namespace flexloop::view
