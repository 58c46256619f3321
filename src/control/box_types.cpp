#include "control/block_types.hpp"

namespace flexloop::control {

void registerBoxes(system::Registry&) {}

}  // namespace flexloop::control
