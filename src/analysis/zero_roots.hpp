// The roots at zero of a machine that floats, told from slow modes (docs/theory/18_eigenproblem.md, 18.4).
#pragma once

#include <vector>

#include "analysis/linear_model.hpp"

namespace flexloop::analysis {

// Sorts the pairs by size. Each motion without resistance is a double root; it becomes one pair with the value zero.
void mergeZeroRoots(const LinearModel& linear, std::vector<linalg::Eigenpair>& pairs);

}  // namespace flexloop::analysis
