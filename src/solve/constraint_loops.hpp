// Constraints in closed loops of joints. Only they can become dependent on each other: a joint whose removal
// would separate its bodies always leaves their other joints as they are.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace flexloop::solve {

// Loops that share bodies other than ground are one group. A node that keeps some of its freedoms only is joined with
// ground by those that it does not have.
struct ConstraintLoops {
  int groups = 0;
  std::vector<int> groupOfUnknown;  // of multipliers of joints in loops; -1: of none
  std::vector<int> groupOfNode;
};

ConstraintLoops findConstraintLoops(const system::System& system);

}  // namespace flexloop::solve
