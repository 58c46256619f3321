#pragma once

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// The 6 × 6 mass matrix at the node, kg, kg m, kg m². The centre of mass moves with v + ω × offset.
void calcPointMass(const PointMass& mass, Eigen::MatrixXd& M);

}  // namespace flexloop::fem
