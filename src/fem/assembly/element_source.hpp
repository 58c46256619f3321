// Elements of a mesh as the functions of fem/elements take them, and their names in messages.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <Eigen/Core>

#include "base/result.hpp"
#include "fem/elements/element_matrices.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

using ElementPoints = std::array<Eigen::Vector3d, 20>;

// `points` is filled and must live as long as the result. The element has what checkElements asks for.
ElementGeometry gatherElement(const Mesh& mesh, const MeshElement& element, ElementPoints& points);

// As in messages: element 12 (hex8, part.inp:40, set 'BODY').
std::string nameElement(const Mesh& mesh, int element);

// Materials, densities, thicknesses and sections that are missing or impossible: named with the first element and how many.
std::optional<base::Failure> checkElements(const Mesh& mesh);

// Pieces of the mesh that no element, spider or equation joins with the rest.
std::optional<base::Failure> checkConnected(const Mesh& mesh);

// `counts` elements of this fault have been found, `first` before the others.
base::Failure makeElementFailure(const Mesh& mesh, int first, int count, ElementFault fault);

}  // namespace flexloop::fem
