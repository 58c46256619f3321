// Black boxes that round their numbers, in modes (docs/theory/23_identification.md, section 23.7).
#pragma once

#include <vector>

#include "analysis/sampled/sampled_blocks.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::analysis {

// (25.6) for x⁺ = A x + B u, y = C x + D u: all is done in the first move.
control::SamplePartials makeBoxPartials(const linalg::StateMatrices& box);

// The same blocks with what other records show of those that round their numbers; none where there are none of these.
std::vector<SampledBlocks> findTwins(const SampledBlocks& blocks, const model::Model& model,
                                     const system::State& state);

}  // namespace flexloop::analysis
