// Blocks that let nothing through where they are (docs/theory/15_discontinuous_blocks.md, section 15.8).
#pragma once

#include <vector>

#include "control/blocks/block.hpp"

namespace flexloop::control {

// Whether a block, though it depends on its inputs, has no slope over any of them where it is: a play inside its gap, a
// function that rounds. `far`: by input, changes as large as a move of the machine makes.
bool isFlat(const Block& block, const BlockPorts<double>& ports, const std::vector<double>& far);

}  // namespace flexloop::control
