#include "control/block_types.hpp"

namespace flexloop::control {

void registerSampled(system::Registry&) {}

}  // namespace flexloop::control
