// One output of a block with states of its own, whose law may be steep (docs/theory/09_time.md, section 9.13).
#pragma once

#include <vector>

namespace flexloop::solve {

struct TimeStepperLaw {
  std::vector<int> states, inputs;  // unknowns
  int output = 0;                   // unknown
  std::vector<bool> chosen;         // the states by unknown, once they have been asked for
  double raised = 0.0;              // by which the output differs from what the tangents make of it
  bool isOpen = false;
};

}  // namespace flexloop::solve
