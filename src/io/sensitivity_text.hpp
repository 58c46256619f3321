// Sensitivities of modes, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/sensitivity.hpp"

namespace flexloop::io {

// The parameters that matter most to each mode, at most `most` of them.
std::vector<std::string> describeSensitivities(const study::SensitivityResult& result, int most);

// Each of the `modes` gets `"sensitivities": [{"parameter": …, "value": …, "derivative": [re, im], …}]` with all
// parameters, and the whole `"skipped_parameters": [{"parameter": …, "reason": …}]`.
void addSensitivities(const study::SensitivityResult& result, nlohmann::ordered_json& json);

}  // namespace flexloop::io
