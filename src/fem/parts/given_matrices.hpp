// Stiffness and mass that another program has written.
#pragma once

#include "base/result.hpp"
#include "fem/assembly/part_from_matrices.hpp"
#include "fem/parts/part_request.hpp"

namespace flexloop::fem {

struct GivenMatrices {
  Mesh mesh;                  // nodes only
  linalg::SparseMatrix K, M;  // both triangles, rows by node
  int freedomsPerNode = 3;    // or 6
};

base::Result<GivenMatrices> readGivenMatrices(const MatricesRequest& request, double lengthUnit);

}  // namespace flexloop::fem
