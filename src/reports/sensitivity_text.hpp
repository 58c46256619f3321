// Sensitivities of modes, for people; for programs they are in the JSON of the modes.
#pragma once

#include <string>
#include <vector>

#include "study/sensitivity.hpp"

namespace flexloop::reports {

// The parameters that matter most to each mode, at most `most` of them.
std::vector<std::string> describeSensitivities(const study::SensitivityResult& result, int most);

}  // namespace flexloop::reports
