// What JSON says about one mode, for files and for the viewer.
#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "analysis/mode_analysis.hpp"
#include "analysis/mode_description.hpp"

namespace flexloop::io {

// `eigenvalue`, `frequency_hz`, `damping_ratio`, `stable`, `residual`, and `multiplier` of a sampled one.
nlohmann::ordered_json makeModeJson(const analysis::Mode& mode);
// `name`, `energy`, `participation` and `damping_by_origin`.
void addModeDescription(const analysis::ModeDescription& mode, nlohmann::ordered_json& entry);

// How a mode moves a node, in ground axes.
struct NodeShape {
  Eigen::Vector3cd displacement = Eigen::Vector3cd::Zero();
  Eigen::Vector3cd rotation = Eigen::Vector3cd::Zero();
};
NodeShape calcNodeShape(const system::System& system, const system::State& state,
                        const Eigen::VectorXcd& shape, std::size_t node);

}  // namespace flexloop::io
