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

}  // namespace flexloop::fem
