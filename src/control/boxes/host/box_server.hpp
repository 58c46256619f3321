// What runs in the process of a black box: it loads the library and makes the calls that are asked for
// in shared memory.
#pragma once

#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_region.hpp"

namespace flexloop::control {

// Until the process is killed.
[[noreturn]] void serveBox(const BoxSettings& settings, BoxRegion& region);

}  // namespace flexloop::control
