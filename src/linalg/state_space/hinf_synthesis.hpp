// Output feedback that keeps the gain from disturbances to errors below a level
// (docs/theory/39_controller_design.md, section 39.8). The generalised plant is
//
//     x' = A x + B1 w + B2 u,    z = C1 x + D11 w + D12 u,    y = C2 x + D21 w + D22 u             (39.18)
//
// with D12 of full column rank and D21 of full row rank.
#pragma once

#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

struct GeneralizedPlant {
  Eigen::MatrixXd A, B1, B2, C1, C2, D11, D12, D21, D22;
};

// z over w with u = K y. Fails where the loop has no solution for u (1 − D22 D_K is singular).
base::Result<StateMatrices> closeLoop(const GeneralizedPlant& plant, const StateMatrices& K);

struct HInfinityController {
  StateMatrices K;       // u = K y
  double optimum = 0.0;  // the least level, to the tolerance
  double level = 0.0;    // for which K was made
  double norm = 0.0;     // of z over w with K, computed from the closed loop
};

// The central controller at `factor` times the least level; a factor of little more than one has very fast roots.
base::Result<HInfinityController> synthesizeHInfinity(const GeneralizedPlant& plant,
                                                      double factor = 1.05,
                                                      double tolerance = 1e-6);

// Least mean square of z under white noise w. D11 and D22 must be zero.
struct H2Controller {
  StateMatrices K;
  double norm = 0.0;
};
base::Result<H2Controller> synthesizeH2(const GeneralizedPlant& plant);

}  // namespace flexloop::linalg
