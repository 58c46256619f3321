// Bodies that beams and parts hold together, moving as if these were rigid: the increment of each node is that
// of the first one, seen from its own frame,
//
//     δ_i = Ad(H_i⁻¹ H_0) δ_0                                                                   (18.4)
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Core>

#include "system/system.hpp"

namespace flexloop::analysis {

struct RigidCluster {
  int motions = 0;  // that the held freedoms of its nodes leave
  // The unknowns of its nodes, each with its increment by motion.
  std::vector<std::pair<int, Eigen::VectorXd>> unknowns;
};

std::vector<RigidCluster> findRigidClusters(const system::System& system,
                                            const system::State& state);

}  // namespace flexloop::analysis
