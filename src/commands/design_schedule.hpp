// `design` over a range of a parameter: a controller at each value, and one model of all of them.
#pragma once

#include "commands/design_request.hpp"

namespace flexloop::commands {

void designSchedule(DesignRequest request, DesignMethod method, const Console& console);

}  // namespace flexloop::commands
