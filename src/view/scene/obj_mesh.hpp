// Triangles of a Wavefront OBJ file: its vertices and faces. Polygons become fans; materials, normals, lines and free-form surfaces do
// not count.
#pragma once

#include <string>

#include "view/scene/mesh_file.hpp"

namespace flexloop::view {

// Throws std::runtime_error with the reason.
Mesh readObjMesh(const std::string& text);

}  // namespace flexloop::view
