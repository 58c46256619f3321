// An equilibrium, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/balance/equilibrium_analysis.hpp"

namespace flexloop::reports {

std::vector<std::string> describeEquilibrium(const model::Model& model,
                                             const analysis::EquilibriumResult& result);

// A header `output,value`, then one row per output.
void writeEquilibriumCsv(const std::string& path, const std::vector<std::string>& names,
                         const analysis::EquilibriumResult& result);

// `{"outputs": {"tip.x": …}, "iterations": …, "stable": true, "limit_points": [0.62, …]}`; `stable` is null where it
// is not known, `limit_points` are shares of the loads. With `"parts": {"NAME": {"von_mises": Pa, "at": [x, y, z]}}` where
// there are parts with stresses.
void writeEquilibriumJson(const std::string& path, const model::Model& model,
                          const analysis::EquilibriumResult& result);

}  // namespace flexloop::reports
