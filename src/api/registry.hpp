// Everything that a model may name.
#pragma once

#include "system/registry.hpp"

namespace flexloop::api {

// In the order in which the manual tells about them.
system::Registry makeRegistry();

}  // namespace flexloop::api
