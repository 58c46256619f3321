#include "control/block_types.hpp"

namespace flexloop::control {

void registerDiscontinuities(system::Registry&) {}

}  // namespace flexloop::control
