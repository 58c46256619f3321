// Interface modes of a set of unknowns: the softest of its static motions, with the boundary held (section 30.8).
//
//   F W φ = θ φ,   F = Eᵀ K_ii⁻¹ E,   W = diag(E ᵀM E),     X = K_ii⁻¹ E W φ                            (30.20)
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "linalg/symmetric/lowest_modes.hpp"

namespace flexloop::fem {

// X, one column for each mode, rows of the interior; fewer where the set has no more motions that its interface leaves. `rows`
// are the places of the set in the interior, with their masses. Nothing where the work was stopped.
std::optional<Eigen::MatrixXd> findInterfaceModes(const linalg::SymmetricFactors& factors,
                                                  Eigen::Index interior,
                                                  const std::vector<int>& rows,
                                                  const Eigen::VectorXd& masses, int count,
                                                  const linalg::Progress& progress);

}  // namespace flexloop::fem
