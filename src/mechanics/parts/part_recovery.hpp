// What can be seen of a reduced part besides its interfaces. Points are seen from the first interface of the undeformed
// part, in part axes [m]. Rows multiply the coordinates z of reduced_model.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace flexloop::mechanics {

// Nodes of the mesh whose motion and stresses can be measured.
struct RecoveredNodes {
  std::vector<std::int64_t> ids;
  std::vector<Eigen::Vector3d> points;
  Eigen::MatrixXd displacement;  // three rows per node
  Eigen::MatrixXd stress;        // six rows per node: xx yy zz xy yz zx, Pa; none without elements
};

// What is drawn.
struct PartSurface {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;  // of points
  Eigen::MatrixXf displacement;               // three rows per point
};

struct PartRecovery {
  RecoveredNodes nodes;
  PartSurface surface;
};

}  // namespace flexloop::mechanics
