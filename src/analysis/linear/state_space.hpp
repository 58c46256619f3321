// A linearised machine as state equations between named signals (docs/theory/19_responses.md):
//
//     x' = A x + B w,    y = C x + D w                                                          (19.9)
//
// Constraints and algebraic signals are eliminated exactly. The states are coordinates of the machine:
// motions, their rates, and states of blocks.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_ports.hpp"
#include "analysis/linear/response_check.hpp"
#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::analysis {

struct StateSpace : linalg::StateMatrices {
  std::vector<std::string> states, inputs, outputs;  // their names
};

struct StateSpaceOptions {
  bool minimal = false;  // without states that no input reaches or no output sees
};

// A root that `minimal` left out, wholly or some of its states.
struct LeftOutRoot {
  std::string name;           // such as "mode 3 at 12.4 Hz"
  std::complex<double> root;  // im ≥ 0
  int states = 0;
  double reach = 0.0,
         sight = 0.0;  // couplings to inputs and outputs, by the strongest of all roots
};

struct StateSpaceResult {
  std::optional<base::Failure> failure;  // an input error: what was asked for does not exist
  StateSpace system;
  ResponseDifference difference;  // from the machine itself (19.10)
  double namingError = 0.0;       // the same, with names of coordinates, where they cost too much
  bool isModal = false;           // so that the states are those of modes
  std::vector<LeftOutRoot> leftOut;  // of `minimal`
  double responseError = 0.0;        // of `minimal`: what was left out (19.16)

  bool ok() const { return !failure; }
};

[[nodiscard]] StateSpaceResult makeStateSpace(const model::Model& model, const LinearModel& linear,
                                              const LinearPorts& ports,
                                              const StateSpaceOptions& options = {});

}  // namespace flexloop::analysis
