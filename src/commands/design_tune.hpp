// Numbers of a model that are tuned on the whole machine.
#pragma once

#include "commands/design_request.hpp"

namespace flexloop::commands {

// --tune PATH[=LOW:HIGH], --goal damping, settling or margin
void tuneModel(const DesignRequest& request, const Console& console);

}  // namespace flexloop::commands
