// Branches that lie on one of two sides, or between them.
#pragma once

#include <algorithm>
#include <cmath>

namespace flexloop::control {

// The whole number that a place of the memory holds, −largest … largest.
inline int modeOf(double memory, int largest) {
  return std::clamp(static_cast<int>(std::lround(memory)), -largest, largest);
}

}  // namespace flexloop::control
