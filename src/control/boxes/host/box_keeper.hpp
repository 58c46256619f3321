// The process between the program and that of a black box. It starts the box, reports how it ended, and
// leaves nothing behind: when the program closes its end of the socket or is gone, however it ended, it
// kills the box and all processes that the box has started, in whatever group or session they are.
#pragma once

#include <cstdint>

#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_region.hpp"

namespace flexloop::control {

// Comes over the socket when the box has ended by itself.
struct BoxObituary {
  int status = 0;            // as of waitpid
  std::uint64_t memory = 0;  // bytes: the most that it had used
};

// To be called in a copy of the program, with all signals blocked.
[[noreturn]] void keepBox(const BoxSettings& settings, BoxRegion& region, int socket);

}  // namespace flexloop::control
