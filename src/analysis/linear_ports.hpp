// Inputs and outputs of a linearised machine, and the cut of a loop (docs/theory/19_responses.md):
//
//     P(s) u = F(s) w,    y = rows of u                                                         (19.1)
//
// P is K + s C + s² M, and −exp(−sτ) where a signal is delayed by τ. An input is added in the equation of its signal. At a cut all that reads the signal sees the input
// instead, while the equation of the signal still gives its value.
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

// In `equation` the unknown `source` is read as it was `time` ago: −exp(−s time) in P, or its
// opposite in column `input` of F where the loop is cut there. Negative: not there.
struct LinearDelay {
  std::string block;
  int equation = -1, source = -1, input = -1;
  double time = 0.0;  // [s]
};

struct LinearPorts {
  linalg::QuadraticPencil pencil;
  std::vector<int> groups;  // as in LinearModel
  Eigen::MatrixXd F;        // one column per input
  std::vector<LinearDelay> delays;
  std::vector<int> outputs;  // unknowns of the pencil
  PortNames names;
};

// All names are signals of the model.
LinearPorts makePorts(const model::Model& model, const LinearModel& linear, const PortNames& names);

}  // namespace flexloop::analysis
