// Equations that are steep beyond all numbers, or have no slope, as sqrt(x) and atan2(y, x) at zero.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// By the user's names, and in a second line what helps; empty if all entries of the tangent are finite.
std::optional<base::Failure> describeInfiniteSlope(const system::System& system,
                                                   const linalg::SparseMatrix& tangent);

}  // namespace flexloop::solve
