// The roots of a machine with its controllers in effective matrices (docs/theory/21_effective_matrices.md).
#pragma once

#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::analysis {

// As findPencilRoots.
std::vector<linalg::Eigenpair> findEffectiveRoots(const model::Model& model,
                                                  const LinearModel& linear,
                                                  const ModeOptions& options, ModeResult& result);

}  // namespace flexloop::analysis
