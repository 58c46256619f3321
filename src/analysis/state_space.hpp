// A linearised machine as state equations between named signals (docs/theory/19_responses.md):
//
//     x' = A x + B w,    y = C x + D w                                                          (19.7)
//
// Constraints and algebraic signals are eliminated exactly. The states are coordinates of the machine:
// motions, their rates, and states of blocks.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear_ports.hpp"

namespace flexloop::analysis {

struct StateSpace {
  Eigen::MatrixXd A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
};

struct StateSpaceOptions {
  bool minimal = false;      // without states that no input reaches or no output sees
  double tolerance = 1e-12;  // of that: couplings by the largest one
};

struct StateSpaceResult {
  bool ok = false;
  bool isInputAtFault = false;  // what was asked for does not exist, rather than the numerics fail
  std::string trouble, hint;
  StateSpace system;
  int removed = 0;  // states that `minimal` left out
};

[[nodiscard]] StateSpaceResult makeStateSpace(const model::Model& model, const LinearModel& linear,
                                              const LinearPorts& ports,
                                              const StateSpaceOptions& options = {});

}  // namespace flexloop::analysis
