// Records of blocks that come from a file.
#pragma once

#include <string>

#include "system/system.hpp"

namespace flexloop::control {

// The name of the first block whose record in the state is none that it may have made; empty: all are.
std::string findStrangeRecord(const system::System& system, const system::State& state);

}  // namespace flexloop::control
