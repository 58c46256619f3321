#include "fem/assembly/point_mass.hpp"

namespace flexloop::fem {

void calcPointMass(const PointMass& mass, Eigen::MatrixXd& M) {
  Eigen::Matrix3d cross;
  const Eigen::Vector3d& o = mass.offset;
  cross << 0, -o.z(), o.y(), o.z(), 0, -o.x(), -o.y(), o.x(), 0;
  M.setZero(6, 6);
  M.topLeftCorner<3, 3>().diagonal().setConstant(mass.mass);
  M.topRightCorner<3, 3>() = -mass.mass * cross;
  M.bottomLeftCorner<3, 3>() = mass.mass * cross;
  M.bottomRightCorner<3, 3>() =
      0.5 * (mass.inertia + mass.inertia.transpose()) - mass.mass * cross * cross;
}

}  // namespace flexloop::fem
