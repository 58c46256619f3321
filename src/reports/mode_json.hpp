// What JSON says about one mode, for files and for the viewer.
#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/mode_description.hpp"

namespace flexloop::reports {

// `eigenvalue`, `frequency_hz`, `damping_ratio`, `stable`, `residual`, `uncertainty` [1/s], and `multiplier` of a sampled
// one. What is gone within a cycle, multiplier 0, has the eigenvalue null and `dead_beat`.
nlohmann::ordered_json makeModeJson(const analysis::Mode& mode);
// `{"verdict": "stable", "unstable" or "unknown", "growing_modes": …, "complete": …}`; if it is not complete, all modes up to
// `searched_hz` were looked at.
nlohmann::ordered_json makeVerdictJson(const analysis::StabilityVerdict& verdict);
// `name`, `energy`, `participation` and `damping_by_origin`.
void addModeDescription(const analysis::ModeDescription& mode, nlohmann::ordered_json& entry);

}  // namespace flexloop::reports
