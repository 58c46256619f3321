// Motions of single nodes that nothing resists: rotations about a line on which all nodes of a rigid spider lie, drilling
// rotations, torsion of beams without a torsion constant.
#pragma once

#include <vector>

#include "fem/assembly/freedom_map.hpp"
#include "fem/assembly/part_system.hpp"

namespace flexloop::fem {

struct SoftDirection {
  FreedomRow row;  // for findDependence, which holds the motion with it
  FreeMotion motion;
};

// K is the stiffness without averaging spiders, which count with a stiffness of
// `scale` (N/m); `size` is that of the part (m).
std::vector<SoftDirection> findSoftDirections(const FreedomMap& map, const linalg::SparseMatrix& K,
                                              double scale, double size);

}  // namespace flexloop::fem
