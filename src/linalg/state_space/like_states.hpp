// Systems that are nearly the same, in states that are nearly the same (docs/theory/38_parameter_dependent_models.md,
// section 38.7).
#pragma once

#include <utility>
#include <vector>

#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

struct LikeStates {
  std::vector<StateMatrices> systems;  // with the same number of states
  int leftOut = 0;  // states that hardly do anything in at least one of the systems
  // By step: how much of the states of one is in those of the other, 1 where they are the same system.
  std::vector<double> likeness;
};

// Systems with as many inputs, outputs and states each. Each step {from, to} turns `to` to a neighbour that is turned already; the
// first one starts from the system that stays as it is.
base::Result<LikeStates> findLikeStates(const std::vector<StateMatrices>& systems,
                                        const std::vector<std::pair<int, int>>& steps);

}  // namespace flexloop::linalg
