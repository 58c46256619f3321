// What can be seen of a reduced part besides its interfaces. Points are seen from the first interface of the undeformed
// part, in part axes [m]. Rows multiply the coordinates z of reduced_model.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace flexloop::mechanics {

// Nodes of the mesh whose motion and stresses can be measured.
struct RecoveredNodes {
  std::vector<std::int64_t> ids;
  std::vector<Eigen::Vector3d> points;
  Eigen::MatrixXd displacement;  // three rows per node
  Eigen::MatrixXd stress;        // six rows per node: xx yy zz xy yz zx, Pa; none without elements
  Eigen::MatrixXd
      stressBelow;  // on the bottom of shells, on the top of which `stress` is; none without shells
};

// What is drawn.
struct PartSurface {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;  // of points
  Eigen::MatrixXf displacement;               // three rows per point
  Eigen::MatrixXf stress, stressBelow;        // as those of nodes
  int allPoints = 0;  // of the surface of the mesh, of which these are some or all
};

struct PartRecovery {
  RecoveredNodes nodes;
  PartSurface surface;
  // The reduced part as a file, for results to keep: where it is, or its bytes where it is in no file.
  std::string file;
  std::shared_ptr<const std::string> bytes;
};

}  // namespace flexloop::mechanics
