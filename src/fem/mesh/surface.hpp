// The visible surface of a mesh as triangles between corner nodes: shells, and faces of solids that belong to one element.
#pragma once

#include <array>
#include <vector>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct SurfaceMesh {
  std::vector<std::array<int, 3>> triangles;  // nodes of the mesh, anticlockwise seen from outside
  std::vector<std::array<int, 2>> edges;      // of the elements, for drawing; each once
  std::vector<int> nodes;                     // that triangles and edges use, rising
};

SurfaceMesh makeSurface(const Mesh& mesh);

// At most so many nodes, without edges: those within a cell of a grid are drawn as the one nearest to their middle, and
// triangles that shrink to nothing are left out. The same surface where it has no more.
SurfaceMesh thinOut(SurfaceMesh surface, const Mesh& mesh, std::size_t most);

}  // namespace flexloop::fem
