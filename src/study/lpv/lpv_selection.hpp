// Which motions a parameter-dependent model keeps, and which of them is which at every point
// (docs/theory/38_parameter_dependent_models.md, section 38.3).
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/lpv/local_model.hpp"
#include "study/lpv/lpv_grid.hpp"

namespace flexloop::study {

struct LpvSelection {
  int reference = 0;  // the point from which motions are followed
  // By point: indices of parts. Oscillations are in the same order at all points.
  std::vector<std::vector<int>> oscillations, others;
  std::vector<std::string> notes;
};

// Free and growing motions, then the slowest others, up to `order` states.
base::Result<LpvSelection> selectParts(const std::vector<LocalModel>& points, const LpvGrid& grid,
                                       int order);

// Σ states of the parts.
int countStates(const LocalModel& local, const std::vector<int>& parts);
std::vector<int> findFreeParts(const LocalModel& local);

}  // namespace flexloop::study
