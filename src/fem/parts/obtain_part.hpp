// A reduced part for a request: from the store where it has been reduced before, from a file, or from its mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/result.hpp"
#include "fem/mesh/surface.hpp"
#include "fem/parts/part_request.hpp"
#include "fem/reduction/reduce_part.hpp"

namespace flexloop::fem {

// Nodes of the mesh whose motion and stresses can be measured. Rows multiply the coordinates of the reduced part.
struct RecoveredNodes {
  std::vector<std::int64_t> ids;
  std::vector<Eigen::Vector3d> points;  // part axes, m
  Eigen::MatrixXd displacement;         // three rows per node
  Eigen::MatrixXd stress;  // six rows per node: xx yy zz xy yz zx, Pa; none without elements
};

// What the viewer draws: places and displacements in part axes.
struct PartSurface {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;  // of points
  Eigen::MatrixXf displacement;               // three rows per point
};

struct ObtainedPart {
  mechanics::ReducedModel model;
  ReductionReport report;
  RecoveredNodes recovered;
  PartSurface surface;
  base::Diagnostics notes;
};

// With `compares`, the report compares the reduced with the full part, which takes longer; otherwise what is stored is
// sufficient.
base::Result<ObtainedPart> obtainPart(const PartRequest& request, bool compares = false,
                                      const linalg::Progress& progress = {});

}  // namespace flexloop::fem
