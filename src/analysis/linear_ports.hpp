// Inputs and outputs of a linearised machine, and the cut of a loop (docs/theory/19_responses.md):
//
//     P(s) u = F(s) w,    y = rows of u                                                         (19.1)
//
// An input is added in the equation of its signal. At a cut all that reads the signal sees the input instead,
// while the equation of the signal still gives its value; a delayed reader sees it delayed.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear_model.hpp"

namespace flexloop::analysis {

struct PortNames {
  std::vector<std::string> inputs, outputs;
  std::string cut;  // empty: the loops stay closed
};

struct LinearPorts {
  linalg::QuadraticPencil pencil;
  std::vector<int> groups;           // as in LinearModel
  Eigen::MatrixXd F;                 // one column per input
  linalg::DelayTerms delays;         // of P, as in LinearModel
  linalg::DelayTerms delayedInputs;  // of F: columns are inputs
  std::vector<int> outputs;          // unknowns of the pencil
  PortNames names;
};

// All names are signals of the model.
LinearPorts makePorts(const model::Model& model, const LinearModel& linear, const PortNames& names);

}  // namespace flexloop::analysis
