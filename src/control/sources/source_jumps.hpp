// Where functions of time jump (docs/theory/14_dynamic_blocks.md, section 14.7).
#pragma once

#include <optional>

#include "control/sources/source.hpp"

namespace flexloop::control {

// A time between two others at which the function jumps. Formulas are searched for jumps; other functions know their breaks.
std::optional<double> findJump(const TimeFunction& function, double from, double to);

}  // namespace flexloop::control
