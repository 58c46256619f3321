// The static equilibrium of a model near its initial configuration.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"
#include "solve/balance/equilibrium.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

struct EquilibriumResult {
  bool isSteady = false;  // a balance of a machine that moves (steady_motion.hpp)
  solve::EquilibriumReport report;
  system::State state;
  std::vector<double> outputs;     // one per output of the model
  std::vector<std::string> notes;  // what is not exactly at rest
};

// Sources have their values at time zero. Nothing is thrown.
[[nodiscard]] EquilibriumResult findEquilibrium(const model::Model& model);

}  // namespace flexloop::analysis
