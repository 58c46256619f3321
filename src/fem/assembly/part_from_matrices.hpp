// A part whose matrices another program has made.
#pragma once

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// K (N/m, N, N m) and M (kg, kg m, kg m²) are symmetric, both triangles stored, with three rows (x y z) or six (x y z rx ry rz)
// for each of the first `nodes` nodes of the mesh, in its order. The mesh has no elements; nodes, spiders, equations and masses
// that were added to it, those of interfaces for example, count.
base::Result<PartSystem> makePartFromMatrices(const Mesh& mesh, int nodes,
                                              const linalg::SparseMatrix& K,
                                              const linalg::SparseMatrix& M);

}  // namespace flexloop::fem
