// How signals answer to inputs at the same instant, while positions, velocities and states of blocks stay as they are:
//
//     S δ = e_w,   D = rows of δ                                                                (37.10)
//
// with the matrix S of consistent accelerations (9.12) and inputs that are added in the equations of their signals.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

// D at a consistent state.
base::Result<Eigen::MatrixXd> calcInstantResponse(const model::Model& model,
                                                  const system::State& state,
                                                  const std::vector<system::UnknownIndex>& inputs,
                                                  const std::vector<system::UnknownIndex>& outputs);

// Whether D may have an entry at any state, by the equations in which the unknowns are.
std::vector<std::vector<bool>> findInstantPaths(const model::Model& model,
                                                const std::vector<system::UnknownIndex>& inputs,
                                                const std::vector<system::UnknownIndex>& outputs);

}  // namespace flexloop::analysis
