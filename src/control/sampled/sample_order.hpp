// The order in which sampled blocks act at one instant: a block that reads the output of another at
// the same instant comes after it.
#pragma once

#include "control/blocks/block_set.hpp"
#include "system/system.hpp"

namespace flexloop::control {

// Gives every sampled block its level. A loop of sampled blocks, each of which needs the output of
// the one before, has no order: the names around it are returned, and nothing if all is well.
[[nodiscard]] std::vector<std::string> orderSamples(const system::System& system, BlockSet& blocks);

}  // namespace flexloop::control
