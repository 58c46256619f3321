// Constraints that depend on each other are made soft by a tiny compliance c (Φ − c λ = 0), so that
// they can be solved. If they contradict each other, as a driven slider and a rigid rod on the same
// line do, the compliance would hide it: the gap c λ grows until it is no longer tiny.
#pragma once

#include <string>
#include <vector>

#include "solve/redundancy.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

class ContradictionWatch {
 public:
  ContradictionWatch(const system::System& system, const solve::RedundancyReport& redundancy);

  // The equation with the largest gap, in the user's names; empty while all gaps are tiny.
  std::string find(const system::State& state) const;

 private:
  const system::System& system_;
  std::vector<int> soft_;  // unknowns with compliance
  Eigen::VectorXd compliance_;
  Eigen::VectorXd allowed_;  // gaps by unknown, m or rad
};

}  // namespace flexloop::analysis
