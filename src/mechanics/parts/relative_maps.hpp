// Derivatives of the relative motion of an interface (31.1) to (31.3) by the freedoms of the two nodes.
#pragma once

#include <Eigen/Core>

#include "mechanics/parts/relative_motion.hpp"

namespace flexloop::mechanics {

struct RelativeMaps {
  using Map = Eigen::Matrix<double, 6, 12>;  // columns: node 1, node k
  Map velocity;             // of z by values, of z' by rates, of z'' by accelerations
  Map rateByValue;          // of z' by values
  Map accelerationByRate;   // of z'' by rates
  Map accelerationByValue;  // of z'' by values
  Eigen::Matrix<double, 12, 12> forceByValue;  // of the forces on the nodes with f on z_k
};

RelativeMaps calcMaps(const MovingFrame<double>& first, const MovingFrame<double>& other,
                      const math::Vec3<double>& arm, const math::Vec6<double>& f);

}  // namespace flexloop::mechanics
