// Triangles of a COLLADA file (.dae): the geometries that its scene shows, each with the transforms of the nodes above it, in metres by
// the unit of the file. Its up axis does not count, as in other programs for robots: a mesh has the axes in which it is written.
#pragma once

#include <string>

#include "view/scene/mesh_file.hpp"

namespace flexloop::view {

// Throws std::runtime_error with the reason.
Mesh readColladaMesh(const std::string& text);

}  // namespace flexloop::view
