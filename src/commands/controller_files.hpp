// Controllers that `design --json` wrote, or other programs: JSON with A, B, C, D, the names of inputs and outputs, and
// `sample` of one that is discrete.
#pragma once

#include <string>
#include <vector>

#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::commands {

struct GivenController {
  linalg::StateMatrices system;
  double sample = 0.0;                       // [s] of one from sample to sample
  std::vector<std::string> inputs, outputs;  // u1…, y1… where the file has no names
};

// Throws base::InputError.
GivenController readController(const std::string& path);

}  // namespace flexloop::commands
