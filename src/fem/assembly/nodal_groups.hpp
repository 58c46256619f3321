// Nodal freedoms as the rows of a BlockMatrix.
#pragma once

#include <vector>

#include "fem/assembly/block_matrix.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// What the elements give to their nodes.
struct NodeUse {
  std::vector<unsigned char> stiffComponents;  // bits
  std::vector<char> hasScalarMass;  // by elements that have one, and without a point mass
  std::vector<char> hasPointMass;
};
NodeUse findNodeUse(const Mesh& mesh);

// All six freedoms of a node, the first three of one that has only solids, none of one without elements and masses.
RowGroups makeNodalGroups(const Mesh& mesh, const NodeUse& use);

// By element: its nodes.
Lists makeNodalLists(const Mesh& mesh);

}  // namespace flexloop::fem
