// How a mode moves a node, in ground axes.
#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "system/state.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

struct NodeShape {
  Eigen::Vector3cd displacement = Eigen::Vector3cd::Zero();
  Eigen::Vector3cd rotation = Eigen::Vector3cd::Zero();
};

// `shape`: increments of all unknowns of the system.
NodeShape calcNodeShape(const system::System& system, const system::State& state,
                        const Eigen::VectorXcd& shape, std::size_t node);

}  // namespace flexloop::analysis
