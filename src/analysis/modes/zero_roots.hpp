// The roots at zero of a machine that floats, as distinct from slow modes (docs/theory/18_eigenproblem.md, section 18.4).
#pragma once

#include <vector>

#include "analysis/linear/linear_model.hpp"

namespace flexloop::analysis {

// Sorts the pairs by size. Each motion without resistance is a double root, and integrals make longer chains; each becomes
// one pair with the value zero. How many there are follows from the structure of the pencil. Slow roots that rounding had
// mixed with them are set right.
void mergeZeroRoots(const system::System& system, const LinearModel& linear,
                    std::vector<linalg::Eigenpair>& pairs);

// The same for roots that are only counted: those at zero are as many as the multiplicity of zero. Delays are left aside.
void setZeroRoots(const LinearModel& linear, std::vector<linalg::Eigenpair>& pairs);

}  // namespace flexloop::analysis
