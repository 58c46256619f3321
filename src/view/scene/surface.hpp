// The skin of a machine for exports: points that each follow one node, and triangles between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/source_files.hpp"

namespace flexloop::view {

struct SurfacePart {
  std::string name;
  bool isBody = false;
  bool isGuess = false;                  // a body whose shape nobody has told
  std::vector<std::uint32_t> triangles;  // three points each
  std::vector<int> segments;             // by triangle: counted over all beams; −1 in bodies
};

struct Surface {
  std::vector<int> nodeOfPoint;
  std::vector<math::Vec3<double>> points;  // in the axes of their nodes
  std::vector<SurfacePart> parts;
};

// Beams have a ring of points at each of their nodes.
// Without files, meshes are read from disk.
Surface makeSurface(const model::Model& model, const model::SourceFiles* files = nullptr);

}  // namespace flexloop::view
