// Points far above the roots that are known about which others may grow (docs/theory/18_eigenproblem.md, section 18.6): what a few
// unknowns do by themselves, while all others are held, costs nothing and is near to what they do in the machine if they
// are fast. Nothing is proved by that.
#pragma once

#include <complex>
#include <vector>

#include "analysis/linear/linear_model.hpp"

namespace flexloop::analysis {

struct GrowthSeed {
  std::complex<double> point;
  int count = 1;  // roots that are expected about it
};

// Of the points with a modulus above `least`, at most a few dozen, those that grow by themselves first.
[[nodiscard]] std::vector<GrowthSeed> findGrowthSeeds(const system::System& system,
                                                      const LinearModel& linear, double least);

}  // namespace flexloop::analysis
