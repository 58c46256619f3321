#include "control/block_types.hpp"

namespace flexloop::control {

void registerBlocks(system::Registry& registry) {
  registerSources(registry);
  registerAlgebra(registry);
}

}  // namespace flexloop::control
