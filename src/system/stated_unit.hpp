// The unit of a number whose dimension depends on something else, such as the bound of a joint's coordinate. Its parameter lists all dimensions that
// it may have; the reader takes each of them and leaves the unit beside the number, and the maker compares it with the one that is needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/dimension.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::system {

// A number that may have one of several dimensions.
Parameter numberOf(std::string name, std::vector<base::Dimension> dimensions, std::string doc);
bool hasSeveralDimensions(const Parameter& parameter);

// Key of the unit among the values of an item, as text; no key of a file has a blank in it.
std::string unitKeyOf(std::string_view key);

// What is wrong with the unit that was stated, if `needed` is needed; a number without unit is SI.
std::optional<std::string> describeWrongUnit(const Item& item, std::string_view key,
                                             const base::Dimension& needed);

}  // namespace flexloop::system
