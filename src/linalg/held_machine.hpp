// A machine whose inputs w are held from instant to instant (docs/theory/25_delays_and_samples.md, section 25.5):
//
//     x' = A x + B w,    u = V x + W w    just before the next instant, or later.
//
// What dies out within the time between two instants has settled by then and is no state.
#pragma once

#include <string>

#include <Eigen/Core>

#include "linalg/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct HeldMachine {
  bool ok = false;
  std::string trouble, hint;  // if not ok
  Eigen::MatrixXd A, B, V, W;
  int settled = 0;  // states that are left out
};

// P(d/dt) u = F w, with at least `shortestWait` [s] from one instant to the next.
HeldMachine makeHeldMachine(const QuadraticPencil& pencil, const Eigen::MatrixXd& F,
                            double shortestWait);

// x(duration) = Phi x(0) + Gamma w
struct HeldFlow {
  Eigen::MatrixXd Phi, Gamma;
};

HeldFlow makeFlow(const HeldMachine& machine, double duration);

}  // namespace flexloop::linalg
