// Inputs and outputs of a linearised machine, and the cut of a loop (docs/theory/19_responses.md):
//
//     P(s) u = F(s) w,    y = rows of u                                                         (19.1)
//
// An input is added in the equation of its signal. At a cut all that reads the signal sees the input instead,
// while the equation of the signal still gives its value; a delayed reader sees it delayed. A function of time r takes
// its rate along: what reads r.rate sees s w.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_model.hpp"

namespace flexloop::analysis {

struct PortNames {
  std::vector<std::string> inputs, outputs;
  std::string cut;  // empty: the loops stay closed
};

// An input whose derivative d^power w/dt^power enters an equation too: that of the rate of a function of time.
struct RateInput {
  int row = 0, input = 0, power = 1;
};

struct LinearPorts {
  linalg::QuadraticPencil pencil;
  std::vector<int> groups;            // as in LinearModel
  Eigen::MatrixXd F;                  // one column per input
  linalg::DelayTerms delays;          // of P, as in LinearModel
  linalg::DelayTerms delayedInputs;   // of F: columns are inputs
  std::vector<RateInput> rateInputs;  // of F: s^power w
  std::vector<int> outputs;           // unknowns of the pencil
  PortNames names;
};

// F(s) with all that depends on s.
Eigen::MatrixXcd evaluateInputs(const LinearPorts& ports, std::complex<double> s);
// F(s) = F_0 + s F_1 + …; there are no delayed inputs.
std::vector<Eigen::MatrixXd> makeInputPolynomial(const LinearPorts& ports);
// Ones where F(s) has entries.
Eigen::MatrixXd makeInputPattern(const LinearPorts& ports);

// All names are signals of the model.
LinearPorts makePorts(const model::Model& model, const LinearModel& linear, const PortNames& names);

}  // namespace flexloop::analysis
