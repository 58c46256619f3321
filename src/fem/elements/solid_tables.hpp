// What solid elements of one shape have in common: integration rules with the shape functions at their points, and how
// stresses are carried from the points where they are accurate to the nodes. Theory sections 28.1 and 28.4.
#pragma once

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

inline constexpr int kMostSolidPoints = 27;

// Row 3 q + k of dN is ∂N/∂ξ_k at point q: the Jacobians at all points are one product, dN · (nodes × 3).
struct RuleTable {
  int points = 0;
  Eigen::VectorXd weights;
  Eigen::Matrix<double, 3, Eigen::Dynamic> xi;
  Eigen::MatrixXd N;   // nodes × points
  Eigen::MatrixXd dN;  // (3 · points) × nodes
};

struct SolidTable {
  int nodes = 0;
  RuleTable stiffness;
  RuleTable mass;    // exact for elements with straight edges
  RuleTable stress;  // where stresses are most accurate
  Eigen::MatrixXd
      toNodes;  // nodes × stress points: a fit through the stresses there, evaluated at the nodes
  RuleTable centre;  // one point
  bool hasIncompatibleModes = false;
};

const SolidTable& solidTable(ElementShape shape);

}  // namespace flexloop::fem
