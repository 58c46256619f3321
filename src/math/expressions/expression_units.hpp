// What a formula measures, by what its names measure.
//
// A number without unit counts as SI and fits everywhere: `0.5*rho*V` may be anything, since 0.5 may be a speed squared.
// Only factors that formulas of geometry and mechanics are made of (kPlainFactors, pi) are taken for mere numbers, so
// that `2*L` is a length as L is. Angles have no dimension.
#pragma once

#include <span>

#include "base/dimension.hpp"
#include "base/result.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::math {

struct Measured {
  enum class Kind {
    kAnything,  // a number whose unit nobody has written
    kNumber,    // a mere number: fits everywhere too, and leaves the other factor as it is
    kQuantity,  // of this dimension
  };
  Kind kind = Kind::kAnything;
  base::Dimension dimension{};

  static Measured quantity(const base::Dimension& dimension) {
    return {Kind::kQuantity, dimension};
  }
};

// Numbers of a formula: those of geometry, or those of control, where `3*x + 2*v` has gains whose units nobody writes.
enum class PlainNumbers { kAreFactors, kMayBeGains };

// Values and units in the order of the names given to parse; follows the branches that are evaluated. Fails where
// lengths are added to masses, or a function has an argument with a unit.
base::Result<Measured> findUnitOf(const Expression& expression, std::span<const double> values,
                                  std::span<const Measured> units,
                                  PlainNumbers numbers = PlainNumbers::kAreFactors);

}  // namespace flexloop::math
