// Redundant constraints: found, named, and made solvable (docs/theory/09_time.md, section 9.6). Where
// the gradients of constraints depend on each other, the multipliers are not unique. The constraints
// that take part get a tiny compliance c,
//
//     Φ + B y − c λ = 0,                                                                        (9.16)
//
// far below what the motion can feel; in time steps so do all constraints in closed loops, and y takes
// the gaps back. The reactions are then those of equally stiff joints: unique, and without the
// self-stress that rigid constraints leave undetermined.
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
  // Compliance by unknown for positions [m/N or rad/Nm], of the constraints that depend on each other here; and for
  // accelerations [m/s²/N], of all that may do so on the way: in a time step, and where accelerations alone are
  // found. Zero where exact.
  Eigen::VectorXd compliance, stepCompliance, accelerationCompliance;
  // By unknown, of the same: the largest entries of the gradient by displacements and by rotations.
  Eigen::VectorXd gapByMove, gapByTurn;
};

RedundancyReport analyzeRedundancy(system::Assembler& assembler, const system::State& state);

}  // namespace flexloop::solve
