// A part some of whose nodes are held.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"

namespace flexloop::fem {

struct HeldSystem {
  linalg::SparseMatrix K, M;  // lower triangles over the unknowns that are left
  int multipliers = 0;        // the last of them
};

// Without the freedoms of these nodes. A node that follows others cannot be held by itself: the index of the first such
// node is given instead.
struct HeldResult {
  HeldSystem system;
  int follower = -1;
};
HeldResult holdNodes(const PartSystem& part, const std::vector<int>& nodes);

}  // namespace flexloop::fem
