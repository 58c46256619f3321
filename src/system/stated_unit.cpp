#include "system/stated_unit.hpp"

#include <utility>

#include "base/units.hpp"

namespace flexloop::system {

Parameter numberOf(std::string name, std::vector<base::Dimension> dimensions, std::string doc) {
  Parameter parameter{
      .name = std::move(name), .doc = std::move(doc), .dimension = dimensions.front()};
  parameter.dimensions = std::move(dimensions);
  return parameter;
}

bool hasSeveralDimensions(const Parameter& parameter) {
  return parameter.shape == Shape::kNumber && !parameter.dimensions.empty();
}

std::string unitKeyOf(std::string_view key) {
  return std::string(key) + " unit";
}

std::optional<std::string> describeWrongUnit(const Item& item, std::string_view key,
                                             const base::Dimension& needed) {
  const std::string unitKey = unitKeyOf(key);
  if (!item.has(unitKey)) return {};
  const base::Dimension stated = base::parseUnit(item.text(unitKey)).value().dimension;
  if (stated == needed) return {};
  return "the unit of '" + std::string(key) + "' is that of " + base::describe(stated) + ", but " +
         base::describe(needed) + " is needed";
}

}  // namespace flexloop::system
