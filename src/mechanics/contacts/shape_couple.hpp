// What contacts of a sphere with a solid and of a pin in a bore have in common: two maps, each with a node and a place.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mechanics/contacts/contact_maker.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

// One of the two shapes, which a map of the item describes.
struct ShapeOnNode {
  system::Item item;
  system::NodeIndex node;
  math::Vec3<double> centre;  // axes of the node
};

inline std::optional<ShapeOnNode> readShape(const system::Item& item, std::string_view key,
                                            system::Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  system::Item shape = item.child(key);
  const system::NodeIndex node = builder.node(shape, "node");
  if (builder.diagnostics().errors().size() > before) return std::nullopt;
  const math::Vec3<double> centre = findCentre(shape, node, builder);
  return ShapeOnNode{std::move(shape), node, centre};
}

struct ShapeCouple {
  ShapeOnNode first, second;
  std::array<system::NodeIndex, 2> nodes;
  ContactLaws laws;
};

// The radius is that of `hertz`.
inline std::optional<ShapeCouple> readCouple(const system::Item& item, std::string_view firstKey,
                                             std::string_view secondKey, double radius,
                                             system::Builder& builder) {
  auto first = readShape(item, firstKey, builder), second = readShape(item, secondKey, builder);
  if (!first || !second) return std::nullopt;
  const std::array nodes{first->node, second->node};
  if (!areApart(item, secondKey, nodes, builder)) return std::nullopt;
  const auto laws = readLaws(item, builder, radius);
  if (!laws) return std::nullopt;
  return ShapeCouple{std::move(*first), std::move(*second), nodes, *laws};
}

inline std::optional<math::Vec3<double>> readAxis(const ShapeOnNode& shape,
                                                  system::Builder& builder) {
  const auto axis = findDirection(shape.item, "axis", builder);
  if (!axis) return std::nullopt;
  return inNodeAxes(*axis, shape.node, builder);
}

inline std::vector<system::Parameter> shapeOnNode(const char* carrier, const char* place,
                                                  const char* without) {
  using namespace system;
  return {required(node("node", carrier)),
          withNote(groundPoint(vector("at", base::kLength, place)), without)};
}

inline system::Parameter lengthOfShape(const char* name, const char* doc) {
  return required(positive(system::number(name, base::kLength, doc)));
}

inline system::Parameter axisOfShape(const char* doc) {
  return required(
      nonZero(system::groundDirection(system::vector("axis", base::kDimensionless, doc))));
}

}  // namespace flexloop::mechanics
