#include "fem/assembly/nodal_groups.hpp"

#include "fem/elements/element_matrices.hpp"

namespace flexloop::fem {

NodeUse findNodeUse(const Mesh& mesh) {
  NodeUse use;
  use.stiffComponents.assign(mesh.points.size(), 0);
  use.hasScalarMass.assign(mesh.points.size(), 1);
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    for (int i = 0; i < nodeCount(element.shape); ++i) {
      use.stiffComponents[nodes[i]] |= isSolid(element.shape) ? 0x07 : 0x3f;
      if (!hasScalarMass(element.shape)) use.hasScalarMass[nodes[i]] = 0;
    }
  }
  use.hasPointMass.assign(mesh.points.size(), 0);
  for (const PointMass& mass : mesh.masses) {
    use.hasScalarMass[mass.node] = 0;
    use.hasPointMass[mass.node] = 1;
  }
  return use;
}

RowGroups makeNodalGroups(const Mesh& mesh, const NodeUse& use) {
  const auto nodes = static_cast<int>(mesh.points.size());
  RowGroups groups;
  groups.rows = 6 * nodes;
  groups.first.resize(nodes);
  groups.size.resize(nodes);
  groups.isScalar = use.hasScalarMass;
  for (int node = 0; node < nodes; ++node) {
    groups.first[node] = 6 * node;
    const bool turns = (use.stiffComponents[node] & 0x38U) != 0 || use.hasPointMass[node] != 0;
    groups.size[node] = turns ? 6 : use.stiffComponents[node] != 0 ? 3 : 0;
  }
  return groups;
}

Lists makeNodalLists(const Mesh& mesh) {
  Lists lists;
  lists.first.reserve(mesh.elements.size() + 1);
  lists.items.reserve(mesh.elementNodes.size());
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    lists.items.insert(lists.items.end(), nodes, nodes + nodeCount(element.shape));
    lists.close();
  }
  return lists;
}

}  // namespace flexloop::fem
