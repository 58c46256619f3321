// Physical units as users write them, and their conversion to SI.
//
//   unit     = factor, then any number of: ("*" | " " | "/") factor     from left to right
//   factor   = symbol [["^"] integer] | "(" unit ")" [["^"] integer] | "1"
//   symbol   = [SI prefix] unit of the table, or a compact word such as Nm, Nms, kgm
//
// So `N/mm`, `N*m*s/rad`, `kg/m^3`, `kg/m3`, `1/s` are units, and `N/m*s` is (N/m)*s. The exponent
// of a compact word belongs to its last letter, as engineers write it: `kgm2` is kg*m^2. The signs
// µ · ² ³ ⁴ ° are understood too.
#pragma once

#include <string_view>

#include "base/dimension.hpp"
#include "base/result.hpp"

namespace flexloop::base {

// The value of one unit in SI is numerator / denominator. Both are kept because powers of ten above
// one are exact in binary and those below are not: 9 mm is 9 / 1000, the very double that `0.009`
// is.
struct Unit {
  double numerator = 1.0;
  double denominator = 1.0;
  Dimension dimension;
};

struct Quantity {
  double value = 0.0;  // SI
  Dimension dimension;
  bool hasUnit = false;  // a pure number fits every dimension and counts as SI
};

// `mm`, `N*m/rad`; the empty text is dimensionless.
Result<Unit> parseUnit(std::string_view text);

// `150 mm`, `-3.5e2 N/mm`, `30deg`, `0.15`. Never gives a value that is not finite.
Result<Quantity> parseQuantity(std::string_view text);

// The SI value of a quantity where `expected` is needed.
Result<double> convertToSi(const Quantity& quantity, const Dimension& expected);

}  // namespace flexloop::base
