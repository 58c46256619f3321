// What the options of the command line mean for modes; for the commands that need modes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "base/result.hpp"
#include "commands/commands.hpp"

namespace flexloop::commands {

// Throws base::InputError.
[[noreturn]] void refuse(const std::string& what, const std::string& hint);

// The index of the word among those that are known. Throws base::InputError, also below.
int choose(const char* option, const std::string& word, const std::vector<std::string>& known);

analysis::ModeOptions readModeOptions(const ModesRequest& request, const model::Model& model);
// From --at and --about; what neither says, `analysis: modes` of the model does.
model::OperatingPoint readOperatingPoint(const std::optional<double>& at, const std::string& about,
                                         const model::Model& model);

// `equilibrium` or `steady`; empty for a state that is told by its time.
std::string balanceName(const model::OperatingPoint& point);

void warnOf(const std::vector<std::string>& notes, const Console& console);

Outcome reportFailure(const Console& console, const base::Failure& failure);
// The same, unless a motion that nothing determines is to blame, which is then explained instead.
Outcome reportFailure(const Console& console, const model::Model& model,
                      const base::Failure& failure);

}  // namespace flexloop::commands
