// Groups of nodes of a directed graph that reach each other both ways. Ordered by them a matrix is block-triangular, and its
// determinant is the product of those of its diagonal blocks.
#pragma once

#include <vector>

namespace flexloop::linalg {

// `next[i]` are the nodes that i leads to. Each node is in one group, the members of a group are in ascending order, and a
// group comes after all groups that it leads to.
[[nodiscard]] std::vector<std::vector<int>> findStrongComponents(
    const std::vector<std::vector<int>>& next);

}  // namespace flexloop::linalg
