// Which mode is which when a parameter has changed (docs/theory/24_sensitivities_and_sweeps.md). Two modes belong
// together if their shapes do, by the left and right vectors of both,
//
//     MAC_ij = |w_iᵀ B z_j| |w_jᵀ B' z_i| / (|w_iᵀ B z_i| |w_jᵀ B' z_j|),   B = C + (λ_i + λ_j) M     (24.8)
//
// which is one for i = j and zero otherwise where nothing has changed, whatever the units of states and
// displacements are; and if the root is where the old vectors say that it should be in the new pencil.
#pragma once

#include <vector>

#include "study/mode_point.hpp"

namespace flexloop::study {

struct ModeMatch {
  std::vector<int> next;  // by mode before, its mode after; -1: it has gone
  bool isClear = true;    // false: other modes match nearly as well; a shorter step would tell
};

// By mode before, `important` says whether it must be clear; those at the edge of a search come and go.
ModeMatch matchModes(const ModePoint& before, const ModePoint& after,
                     const std::vector<bool>& important);

// Repeated roots have their shapes in any mixture: the vectors after become those that continue the vectors
// before (24.10), so that modes that meet part again as they came.
void alignRepeated(const ModePoint& before, const ModeMatch& match, ModePoint& after);

// Row by row the column that makes the sum of costs least, each column at most once; -1 where there are
// more rows than columns.
std::vector<int> assignLeastCost(const Eigen::MatrixXd& cost);

}  // namespace flexloop::study
