// How the elements of a mesh hang together.
#pragma once

#include <utility>
#include <vector>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// By element: the number of its piece, from 0 on in the order of the elements. Elements that share a node, a spider or an
// equation are in one piece.
std::vector<int> findPieces(const Mesh& mesh);

// Nodes that neither elements nor masses, spiders and equations use.
std::vector<int> findUnusedNodes(const Mesh& mesh);

// Pairs of elements of one shape with the same nodes in any order; each repeated element with the first of its kind.
std::vector<std::pair<int, int>> findRepeatedElements(const Mesh& mesh);

// Pairs of nodes of elements at the same place, within 1e-6 of the largest extent, which no spider or equation holds.
std::vector<std::pair<int, int>> findCoincidentNodes(const Mesh& mesh);

}  // namespace flexloop::fem
