// Whether a block is exactly on a kink or a jump (docs/theory/15_discontinuous_blocks.md, section 15.8): its
// slopes are compared on both sides of each input, with the branches that belong to either side. A switch has other slopes
// over what it passes on, not over what it is switched by, so all slopes count.
#pragma once

#include <vector>

#include "control/blocks/block.hpp"

namespace flexloop::control {

struct Kink {
  static constexpr int kState = -1;

  int input = 0;                    // that is on either side
  int over = 0;                     // of the slopes: an input, mostly the same, or a state
  bool isJump = false;              // of the output itself
  double below = 0.0, above = 0.0;  // slopes of what differs most; where it jumps, the outputs
  double taken = 0.0;               // of the linear model; where it jumps, the output
};

// `steps`: by input, changes so small that they count as nothing; zero for an input that never changes.
std::vector<Kink> findKinks(const Block& block, const BlockPorts<double>& ports,
                            const std::vector<double>& steps);

}  // namespace flexloop::control
