// What one instant makes of small changes of a sampled block, by perturbation of its memory and inputs
// (docs/theory/25_delays_and_samples.md, section 25.4).
#pragma once

#include <vector>

#include <Eigen/Core>

#include "control/blocks/block.hpp"

namespace flexloop::control {

struct SamplePartials {
  Eigen::MatrixXd sample;  // the memory after `sample`, by the memory before and the inputs
  Eigen::MatrixXd update;  // the memory after `updateSample`, by that after `sample` and the inputs
  Eigen::MatrixXd output;  // the outputs, by the memory
};

// About the memory that the block has after an instant with these inputs.
SamplePartials calcSamplePartials(const Block& block, double time,
                                  const std::vector<double>& inputs, std::vector<double> memory);

}  // namespace flexloop::control
