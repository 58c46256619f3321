// Fewer states that do nearly the same (docs/theory/39_controller_design.md, section 39.4).
//
// The part with roots left of the imaginary axis is balanced and cut; the rest, rigid-body motions and what grows, is
// kept as it is:
//
//     G = G_stable + G_kept,     ‖G − G_r‖∞ ≤ 2 Σ_{i > r} σ_i                                       (39.7)
#pragma once

#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

struct SplitSystem {
  StateMatrices stable;  // with the direct term
  StateMatrices kept;    // roots at zero, on the axis and right of it; no direct term
};

// Fails where the two parts cannot be separated in double precision.
base::Result<SplitSystem> splitStable(const StateMatrices& system);

struct BalancedTruncation {
  StateMatrices system;    // what was kept apart comes first
  Eigen::VectorXd hankel;  // all Hankel values of the stable part, falling
  int keptApart = 0;       // states that were not part of the balancing
  double bound = 0.0;      // of the error: (39.7)
};

// To `order` states in all, or fewer where the system has fewer. Fails if more than that must be kept.
base::Result<BalancedTruncation> truncateBalanced(const StateMatrices& system, int order);

}  // namespace flexloop::linalg
