// What a user of a turning machine must know to read its linear equations (docs/theory/18_eigenproblem.md, section 18.1).
#pragma once

#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::analysis {

// Empty where the machine turns slowly by its modes, or where nothing can be mistaken. `what` is that which has the
// axes, such as "modes".
std::string describeTurning(const Turning& turning, const std::vector<Mode>& modes,
                            const std::string& what);

}  // namespace flexloop::analysis
