#include "control/block_types.hpp"

namespace flexloop::control {

void registerDynamics(system::Registry&) {}

}  // namespace flexloop::control
