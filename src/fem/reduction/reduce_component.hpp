// A component with the normal modes that its options ask for, and how good it is.
#pragma once

#include "base/result.hpp"
#include "fem/reduction/reduction_options.hpp"

namespace flexloop::fem {

struct ReducedComponent {
  ComponentBasis basis;
  ReductionReport report;
  Eigen::MatrixXd
      loaded;  // response to the loads of the component with its first boundary freedoms held
  // Response to unit forces, translations x y z of all groups but the first, which is held; where foreshortening is asked for.
  Eigen::MatrixXd pulled;
};

// Boundary freedoms come in groups of `groupSize`, one per interface, for `held`.
base::Result<ReducedComponent> reduceComponent(Component component, const ReductionOptions& options,
                                               int groupSize,
                                               const linalg::Progress& progress = {});

// D = M Φ_e diag(2 ζ ω) Φ_eᵀ M over the elastic modes of reduced matrices, of which the first `rigid` are motions without
// stiffness (30.17). Damps no rigid motion `Rz`, to the last digits.
Eigen::MatrixXd makeModalDamping(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M,
                                 const Eigen::MatrixXd& Rz, double ratio);

}  // namespace flexloop::fem
