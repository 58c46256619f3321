// The part of a linearised machine through which inputs act on outputs, by the pattern of its equations
// (docs/theory/19_responses.md, section 19.6).
#pragma once

#include <vector>

#include "analysis/linear/linear_ports.hpp"
#include "linalg/state_space/explicit_form.hpp"

namespace flexloop::analysis {

struct SignalPath {
  linalg::QuadraticPencil pencil;  // of what some input reaches and some output sees
  linalg::MatrixPolynomial F;
  std::vector<int> unknowns;       // of the whole, by unknown of the path
  std::vector<int> equations;      // of the whole, by equation of the path
  std::vector<int> outputs;        // unknowns of the path; -1: no input reaches it
  linalg::QuadraticPencil beside;  // all the rest: it has the other roots
};

SignalPath findSignalPath(const LinearPorts& ports);

// By input and unknown: whether the input reaches it.
std::vector<std::vector<bool>> findReachedByInput(const LinearPorts& ports);

}  // namespace flexloop::analysis
