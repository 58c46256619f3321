// K and M of a part for other programs, in the form that `matrices:` of a model reads.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// By the extension of `path`:
//   .mat   K and M as rows [row column value] of the lower triangle, counted from 1, and `nodes` as rows [number x y z]
//   .h5    the same as tables
//   other  PATH.K.mtx, PATH.M.mtx (Matrix Market) and PATH.nodes.csv (node_table.hpp)
// Rows are ordered by node, then x y z rx ry rz; freedoms that follow others have none. Fails for parts with multipliers.
// Throws std::runtime_error where a file cannot be written.
std::optional<base::Failure> writePartMatrices(const std::string& path, const Mesh& mesh,
                                               const PartSystem& part);

}  // namespace flexloop::fem
