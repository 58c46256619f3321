// Motions without mass, such as those of a node that only connects others. Systems of masses give them a small one (docs/theory/33_impacts.md, section 33.2), which has a share in the
// motion of those that are coupled to them; a few solutions with the true masses in the residual are without it.
#pragma once

#include <vector>

#include "solve/mass_system.hpp"

namespace flexloop::solve {

inline std::vector<int> findMassless(const MassSystem& massSystem,
                                     const std::vector<system::Kind>& kinds) {
  std::vector<int> massless;
  for (int u = 0; u < static_cast<int>(kinds.size()); ++u) {
    if (kinds[u] == system::Kind::kMotion && massSystem.mass().coeff(u, u) <= 0.0) {
      massless.push_back(u);
    }
  }
  return massless;
}

}  // namespace flexloop::solve
