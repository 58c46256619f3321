// The skin of a machine for exports: points that each follow one node, and triangles between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechanics/parts/part_layout.hpp"
#include "model/model.hpp"
#include "model/source_files.hpp"

namespace flexloop::view {

struct SurfacePart {
  std::string name;
  bool isBody = false;
  bool isGuess = false;                  // a body without a given shape
  std::vector<std::uint32_t> triangles;  // three points each
  std::vector<int> segments;  // by triangle: counted over all beams; −1 in bodies and parts
};

// The surface of a flexible part, whose points move in the axes of its first interface besides.
struct SurfaceDeformation {
  mechanics::PartLayout part;
  std::size_t firstPoint;   // of the surface
  std::size_t surfacePart;  // among the parts of the surface
};

struct Surface {
  std::vector<int> nodeOfPoint;
  std::vector<math::Vec3<double>> points;  // in the axes of their nodes
  std::vector<SurfacePart> parts;
  std::vector<SurfaceDeformation> deformations;
};

// Beams have a ring of points at each of their nodes.
// Without files, meshes are read from disk.
Surface makeSurface(const model::Model& model, const model::SourceFiles* files = nullptr);

}  // namespace flexloop::view
