// From the freedoms of the nodes to the unknowns of a part.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "fem/assembly/block_matrix.hpp"
#include "fem/assembly/dependence.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct FreedomMap {
  Dependence dependence;
  std::vector<int> unknownOf;  // by nodal freedom; -1: follows from others or has no stiffness
  RowGroups
      groups;  // unknowns of a node, in the order of the nodes; then the multipliers of a spider
  std::vector<int> groupOf;  // by node; -1: none
  std::vector<int> nodeOf;   // by group of a node
  std::vector<std::vector<FreedomRow>>
      averaging;               // by group of multipliers: rows in independent freedoms
  std::vector<char> isDirect;  // by node: all its freedoms are independent
  int independents = 0;        // unknowns before the multipliers

  int nodeGroups() const { return static_cast<int>(nodeOf.size()); }
};

// `stiffComponents` has bits of the components that elements or given matrices hold, by node; scalar nodes are those with a
// mass that is the same in all directions. `held`: see findDependence.
base::Result<FreedomMap> makeFreedomMap(const Mesh& mesh,
                                        const std::vector<unsigned char>& stiffComponents,
                                        const std::vector<char>& hasScalarMass,
                                        const std::vector<FreedomRow>& held);

// As in PartSystem.
void makeTransformation(const FreedomMap& map, linalg::SparseMatrix& T);

}  // namespace flexloop::fem
