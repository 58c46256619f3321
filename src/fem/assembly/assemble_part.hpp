// The matrices of a mesh. Theory section 28.7.
#pragma once

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Stiffness, mass and constraints of all elements, masses, spiders and equations. Fails with the names of what is missing,
// impossible or contradictory.
base::Result<PartSystem> assemblePart(const Mesh& mesh);

}  // namespace flexloop::fem
