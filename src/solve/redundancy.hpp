// Redundant constraints: found, named, and made solvable (docs/theory/09_time.md, section 9.5). Where
// the gradients of constraints depend on each other, the multipliers are not unique. The constraints
// that take part get a tiny compliance c,
//
//     Φ − c λ = 0,                                                                              (9.16)
//
// far below what the motion can feel. The reactions are then those of equally stiff joints: unique,
// and without the self-stress that rigid constraints leave undetermined.
#pragma once

#include <string>
#include <vector>

#include "system/assembler.hpp"

namespace flexloop::solve {

struct RedundancyReport {
  int freedoms = 0;  // motions
  int constraints = 0;
  int rank = 0;  // independent constraints
  int mobility() const { return freedoms - rank; }
  int redundant() const { return constraints - rank; }
  // For every redundant constraint, the names of the equations that depend on each other.
  std::vector<std::vector<std::string>> groups;
  // Compliance by unknown for positions [m/N or rad/Nm] and for accelerations; zero where exact.
  Eigen::VectorXd compliance, accelerationCompliance;
};

RedundancyReport analyzeRedundancy(system::Assembler& assembler, const system::State& state);

}  // namespace flexloop::solve
