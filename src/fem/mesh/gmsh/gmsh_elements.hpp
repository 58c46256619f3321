// The element types of Gmsh by their number.
#pragma once

#include <cstdint>
#include <optional>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct GmshType {
  int number;
  const char* name;  // as Gmsh's manual has it
  int dimension;
  int nodes;
  // Without a shape it only defines sets (points and quadratic lines) or is not supported.
  std::optional<ElementShape> shape;
  // By node of the shape: its place in Gmsh's order. Biquadratic elements lose the nodes in the middle of faces and of
  // the volume; quads of their faces lose the same ones, so that the mesh stays compatible.
  std::int8_t order[20];
};

// Null if there is none with this number.
const GmshType* findGmshType(std::int64_t number);

}  // namespace flexloop::fem
