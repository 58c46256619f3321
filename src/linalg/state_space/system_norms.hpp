// Norms of linear systems (docs/theory/39_controller_design.md, section 39.3):
//
//     ‖G‖₂² = tr(C P Cᵀ),     ‖G‖∞ = max over ω of the largest singular value of G(iω)              (39.6)
#pragma once

#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

// Of a stable system without direct term.
base::Result<double> calcH2Norm(const StateMatrices& system);

struct PeakGain {
  double gain = 0.0;
  double rate = 0.0;  // [rad/s] where it is reached; infinite where that is only approached
};

// Of a stable system. The relative error is below `tolerance`.
base::Result<PeakGain> calcHInfinityNorm(const StateMatrices& system, double tolerance = 1e-10);

// max Re of the roots of A; −∞ without states.
double calcLargestRealPart(const Eigen::MatrixXd& A);

// Outputs of the first are inputs of the second.
StateMatrices makeSeries(const StateMatrices& first, const StateMatrices& second);
// first − second, with the inputs in common.
StateMatrices makeDifference(const StateMatrices& first, const StateMatrices& second);

}  // namespace flexloop::linalg
