// The units of motions, in which their diagonals are one and their couplings symmetric (docs/theory/18_eigenproblem.md,
// section 18.2). Stiffness and mass are symmetric but for small entries, such as those of loads, which count for nothing here:
// on a fine mesh a fit to all entries adds up what they draw rows and columns apart, from element to element.
#pragma once

#include <vector>

#include "linalg/roots/pencil_entries.hpp"

namespace flexloop::linalg {

// Sets rows and columns of all unknowns with a mass, at the rate of the units, and returns which these are.
std::vector<bool> setMotionUnits(const std::vector<PencilEntry>& entries, PencilUnits& units);

}  // namespace flexloop::linalg
