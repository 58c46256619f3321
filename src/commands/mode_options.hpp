// What the options of the command line mean for modes; for the commands that need modes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "base/result.hpp"
#include "commands/requests.hpp"

namespace flexloop::commands {

// Throws base::InputError, also below.
analysis::ModeOptions readModeOptions(const ModesRequest& request, const model::Model& model);
// From --at and --about; what neither says, `analysis: modes` of the model does.
model::OperatingPoint readOperatingPoint(const std::optional<double>& at, const std::string& about,
                                         const model::Model& model);

// `equilibrium` or `steady`; empty for a state that is named by its time.
std::string balanceName(const model::OperatingPoint& point);

}  // namespace flexloop::commands
