// What the parts of a mesh and those of given matrices have in common: unknowns, constraints and motions without stiffness.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "fem/assembly/freedom_map.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Fills K, M and nodalMass of a part for the unknowns of a map. The pattern of K has the entries of the stars below.
using FillMatrices = std::function<std::optional<base::Failure>(const FreedomMap&, PartSystem&)>;

// The first two as for makeFreedomMap. Unknowns without stiffness are found and held.
base::Result<PartSystem> makePart(const Mesh& mesh,
                                  const std::vector<unsigned char>& stiffComponents,
                                  const std::vector<char>& hasScalarMass, const FillMatrices& fill);

// Multipliers of an averaging spider are coupled with these groups.
Lists findStars(const FreedomMap& map);
std::vector<int> findStarCentres(const FreedomMap& map);

}  // namespace flexloop::fem
