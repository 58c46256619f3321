// What flexible parts cost: modes of a solid block whose cost in CalculiX is known.
#pragma once

#include <vector>

#include "program_cost.hpp"

namespace flexloop::bench {

struct BlockRow {
  int freedoms = 0;
  double peerSeconds = 0.0;  // CPU of CalculiX 2.20 for the same modes, one thread
  ProgramCost cost;
};

// Ten modes of a block of 2 × 1 × 1 m of 20-node bricks, clamped at one end, by `flexloop part`.
std::vector<BlockRow> measureBlocks();

}  // namespace flexloop::bench
