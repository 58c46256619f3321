// Averaging spiders as linear equations: the reference node moves as the rigid body that fits the weighted motion of the others
// best. Theory section 28.8.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "fem/assembly/dependence.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// One row Σ factor · U = 0 for each of the reference components, in nodal freedoms. `isStiff` says by nodal freedom whether
// something holds it: rotations of the nodes count only where their translations leave a rotation open, as on a line.
base::Result<std::vector<FreedomRow>> makeAveragingRows(const Mesh& mesh, const Spider& spider,
                                                        const std::vector<char>& isStiff);

}  // namespace flexloop::fem
