// Where a machine was linearised, as titles say it.
#pragma once

#include <string>

namespace flexloop::reports {

// `about`: `equilibrium` or `steady` for a balance, otherwise empty: then the state at `time` [s].
std::string describePoint(const std::string& about, double time);

}  // namespace flexloop::reports
