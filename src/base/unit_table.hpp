// The known unit symbols. A part of units.hpp, which is what others use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace flexloop::base {

Unit operator*(const Unit& a, const Unit& b);
Unit power(const Unit& unit, int exponent);

// The unit of one symbol with or without SI prefix: `N`, `kN`, `rpm`.
std::optional<Unit> findUnit(std::string_view symbol);

// The symbols of a word written without signs between: `Nms` gives N, m, s. Empty if it is no such
// word.
std::vector<std::string_view> splitCompactWord(std::string_view word);

// What a user probably meant by an unknown symbol.
std::optional<std::string> findNearestUnit(std::string_view symbol);

}  // namespace flexloop::base
