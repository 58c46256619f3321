// Where the Jacobian of an element is looked at, and the derivatives of its shape functions there. The shape functions
// follow from the monomials that the element contains, N(ξ) = V⁻ᵀ m(ξ) with V the monomials at the nodes.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct JacobianSamples {
  // Per point a matrix of 3 (solids) or 2 (shells) columns: ∂N/∂ξ by node. Integration points first, then corners.
  std::vector<Eigen::MatrixXd> derivatives;
  int integrationPoints = 0;
};

// Of solids and shells. A pyramid has corners only: its shape functions are no polynomials.
const JacobianSamples& samplesOf(ElementShape shape);

}  // namespace flexloop::fem
