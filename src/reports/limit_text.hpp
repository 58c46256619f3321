// Limits of stability, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "study/stability_limit.hpp"

namespace flexloop::reports {

// Whether modes are identified by their numbers in the sweep too: not where its points are not shown.
enum class ModeNumbers { kTold, kLeftOut };

// Nothing crosses: says so, and what was looked at.
std::vector<std::string> describeLimits(const study::ModeSweep& sweep,
                                        const study::StabilityLimits& limits, ModeNumbers numbers);

// `[{"parameter": …, "value": …, "frequency_hz": …, "eigenvalue": [re, im], "track": 1, "mode": …,
// "unstable_side": "above"}]`, which other files hold as "stability_limits".
std::string makeLimitsJson(const study::ModeSweep& sweep, const study::StabilityLimits& limits,
                           ModeNumbers numbers);

}  // namespace flexloop::reports
