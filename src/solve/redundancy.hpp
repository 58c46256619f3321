// Redundant constraints: found and named (docs/theory/09_time.md, section 9.6). Where the gradients of constraints depend on
// each other, the multipliers are not unique. soft_constraints.hpp makes such machines solvable.
#pragma once

#include <string>
#include <vector>

#include "system/assembler.hpp"

namespace flexloop::solve {

// A constraint that takes part in a dependency.
struct DependentRow {
  int unknown = 0;
  double weight = 0.0;     // |b|², with rotations as motions at the end of an arm
  int group = 0;           // dependencies in different groups have nothing in common
  bool isImplied = false;  // by the others: without such rows, no dependency is left
};

struct RedundancyReport {
  int freedoms = 0;  // motions
  int constraints = 0;
  int rank = 0;  // independent constraints
  int mobility() const { return freedoms - rank; }
  int redundant() const { return constraints - rank; }
  // For every redundant constraint, the names of the equations that depend on each other.
  std::vector<std::vector<std::string>> groups;
  std::vector<DependentRow> dependentRows;
  // By unknown of a constraint, the lengths of its gradient by positions and by rotations: what round-off of them is in it.
  Eigen::VectorXd moves, turns;
  // By unknown, the length at which a turn counts as a move; one for all others. In these units gradients can be compared.
  Eigen::VectorXd arms;
};

// Whether joints close loops of bodies: only in those do independent constraints become dependent on the way.
bool hasLoops(const system::System& system);

RedundancyReport analyzeRedundancy(system::Assembler& assembler, const system::State& state);

}  // namespace flexloop::solve
