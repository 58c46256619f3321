// Coordinates of the machine as states (docs/theory/19_responses.md, section 19.4): of all motions, their
// rates and the states of blocks, independent ones are chosen such that the others follow from them with
// few digits lost.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/state_space.hpp"

namespace flexloop::analysis {

// How much a candidate is liked as a state, the most first.
enum class StateKind {
  kCoordinate,
  kRate,         // of a coordinate
  kBlock,        // state of a block
  kShifted,      // one of the above, less what inputs add to it at once
  kCombination,  // without a meaning of its own
};

// What could be a state: row · x.
struct StateCandidate {
  std::string name;
  StateKind kind = StateKind::kCombination;
  Eigen::RowVectorXd row;
  int rateOf = -1;  // the candidate of which this one is the rate
};

// As many candidates as x has entries, in their order. Rates of chosen coordinates come before others.
std::vector<int> chooseStates(const std::vector<StateCandidate>& candidates, int count);

// Chosen candidates become the states (19.8); rows of the candidates are then of these.
void nameStates(StateSpace& system, std::vector<StateCandidate>& candidates);

}  // namespace flexloop::analysis
