// Schemes by the names of the model language, all with one number rho, which is their spectral radius
// at infinity; only jwh used for motion has there (1 + 3 rho)/(3 + rho).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "solve/time/scheme.hpp"

namespace flexloop::solve {

// The first is the default.
const std::vector<std::string>& motionSchemeNames();  // ch, hht, newmark, jwh
const std::vector<std::string>& stateSchemeNames();   // jwh, ch

// A name of the lists above and 0 ≤ rho ≤ 1. Fails where the scheme has no member with this rho:
// hht reaches down to 1/2 only.
base::Result<MotionScheme> makeMotionScheme(std::string_view name, double rho);
base::Result<StateScheme> makeStateScheme(std::string_view name, double rho);

}  // namespace flexloop::solve
