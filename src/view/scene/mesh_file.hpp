// Triangles of a part for the eye: STL, binary or text, glTF as .glb, OBJ and COLLADA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flexloop::view {

struct Mesh {
  std::vector<float> positions;        // x y z of each corner [m]
  std::vector<std::uint32_t> indices;  // three per triangle
};

// Lengths of the file times `scale` are metres. Throws std::runtime_error with the reason.
Mesh readMeshFile(const std::string& path, double scale);
// The same of its bytes; the path is for messages.
Mesh readMeshBytes(const std::string& bytes, const std::string& path, double scale);

}  // namespace flexloop::view
