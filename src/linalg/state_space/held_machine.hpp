// A machine whose inputs w are held from instant to instant (docs/theory/25_delays_and_samples.md, section 25.5):
//
//     x' = A x + B w,    u = V x + W w    just before the next instant, or later.
//
// What dies out within the time between two instants has settled by then and is no state.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/roots/quadratic_pencil.hpp"

namespace flexloop::linalg {

struct HeldMachine {
  std::optional<base::Failure> failure;
  Eigen::MatrixXd A, B, V, W;
  int settled = 0;  // states that are left out
};

// P(d/dt) u = F w, with at least `shortestWait` [s] from one instant to the next. The unknowns that are read have the
// responses of the pencil, or there is no machine: state equations of a fine mesh may lose the digits of its slow motions.
HeldMachine makeHeldMachine(const QuadraticPencil& pencil, const Eigen::MatrixXd& F,
                            const std::vector<int>& reads, double shortestWait);

// x(duration) = Phi x(0) + Gamma w
struct HeldFlow {
  Eigen::MatrixXd Phi, Gamma;
};

HeldFlow makeFlow(const HeldMachine& machine, double duration);

}  // namespace flexloop::linalg
