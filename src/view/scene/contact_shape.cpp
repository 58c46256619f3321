#include "view/scene/contact_shape.hpp"

#include <algorithm>

namespace flexloop::view {
namespace {

using math::Vec3;
using system::Item;

constexpr double kDiscThickness = 0.02;  // of a disc that is drawn, by its radius

// The shape that an item, or one of the two maps in it, puts on a node.
std::optional<BodyShape> readShape(const SceneSource& source, const Item& item, int node) {
  const math::Frame<double>& frame = source.frames[node];
  BodyShape shape;
  shape.isGiven = true;
  if (item.has("at")) {
    shape.position = frame.R.transpose() * (Vec3<double>(item.vector("at")) - frame.x);
  }
  if (item.has("size")) {
    shape.type = "box";
    shape.size = item.vector("size");
    return shape;
  }
  if (!item.has("radius")) return std::nullopt;
  shape.radius = item.number("radius");
  shape.type = item.has("axis") ? "cylinder" : "sphere";
  if (!item.has("axis")) return shape;
  shape.axis = frame.R.transpose() * Vec3<double>(item.vector("axis").normalized());
  shape.length = item.number("length", kDiscThickness * shape.radius);
  return shape;
}

std::optional<BodyShape> readGroup(const Item& item, const std::string& node) {
  const std::vector<std::string> nodes = item.names("nodes");
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  if (found == nodes.end()) return std::nullopt;
  const std::vector<double> radii = item.numbers("radius");
  BodyShape shape;
  shape.isGiven = true;
  shape.type = "sphere";
  shape.radius = radii.size() == nodes.size() ? radii[found - nodes.begin()] : radii.front();
  return shape;
}

std::optional<BodyShape> readContact(const SceneSource& source, const Item& item,
                                     const std::string& node) {
  if (item.has("nodes")) return readGroup(item, node);
  const int index = source.findNode(node);
  if (item.has("node")) {
    return item.text("node") == node ? readShape(source, item, index) : std::nullopt;
  }
  for (const char* key : {"first", "second", "capsule", "sphere", "box", "cylinder", "pin"}) {
    if (!item.has(key)) continue;
    const Item shape = item.child(key);
    if (shape.text("node") == node) return readShape(source, shape, index);
  }
  return std::nullopt;
}

}  // namespace

std::optional<BodyShape> findContactShape(const SceneSource& source, const Item& body) {
  for (const Item& item : source.model.description().items) {
    if (item.section() != "contacts") continue;
    if (auto shape = readContact(source, item, body.text("node"))) return shape;
  }
  return std::nullopt;
}

}  // namespace flexloop::view
