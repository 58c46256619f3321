#include "control/blocks/block_types.hpp"

namespace flexloop::control {

void registerBlocks(system::Registry& registry) {
  registerSources(registry);
  registerAlgebra(registry);
  registerDynamics(registry);
  registerDiscontinuities(registry);
  registerSampled(registry);
  registerBoxes(registry);
}

}  // namespace flexloop::control
