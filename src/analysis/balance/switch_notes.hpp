// What linear analyses take constraints that come and go for: those that are closed in the state hold.
#pragma once

#include <string>
#include <vector>

#include "system/state.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

std::vector<std::string> describeSwitches(const system::System& system, const system::State& state);

}  // namespace flexloop::analysis
