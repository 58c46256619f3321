// The machine between samples and its sampled controllers at their instants, as one linear map over a cycle of all
// clocks (docs/theory/25_delays_and_samples.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "analysis/sampled/sampled_blocks.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

// What is reported of modes of a map from cycle to cycle.
struct SampledCycle {
  double period = 0.0;  // of all clocks together [s]
  int vanished = 0;     // multipliers of zero: what is gone within a cycle
  int folded = 0;       // modes of the machine alone above half the sampling frequency
};

struct SampledRoots {
  std::optional<base::Failure> failure;
  std::string note;  // about a machine that was condensed
  SampledCycle cycle;
  // s = ln(multiplier)/period, 0 ≤ im ≤ π/period, with the unknowns of the pencil just after the first instant of a
  // cycle.
  std::vector<linalg::Eigenpair> pairs;
};

// The linear model is that of the closed loop about the state, with the outputs of these black boxes held.
SampledRoots findSampledRoots(const SampledBlocks& blocks, const system::System& system,
                              const LinearModel& linear, const system::State& state);

}  // namespace flexloop::analysis
