// The machine between samples and its sampled controllers at their instants, as one linear map over a cycle of all
// clocks (docs/theory/25_delays_and_samples.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/linear_model.hpp"
#include "control/sample_partials.hpp"

namespace flexloop::control {
class BlockSet;
}

namespace flexloop::analysis {

// What is told of modes that are those of a map from cycle to cycle.
struct SampledCycle {
  double period = 0.0;  // of all clocks together [s]
  int vanished = 0;     // multipliers of zero: what is gone within a cycle
  int folded = 0;       // modes of the machine alone above half the sampling frequency
};

struct SampledRoots {
  std::string trouble, hint;  // empty: found
  SampledCycle cycle;
  // s = ln(multiplier)/period, 0 ≤ im ≤ π/period, with the unknowns of the pencil just after the first instant of a
  // cycle.
  std::vector<linalg::Eigenpair> pairs;
};

// Sampled blocks that take part in the map; those that do not keep their outputs.
struct SampledBlocks {
  const control::BlockSet* set = nullptr;
  std::vector<int> elements;
  // Of black boxes, which are among the elements.
  std::map<int, control::SamplePartials> boxes;
  std::vector<std::string> warnings;  // about black boxes that are not

  std::vector<int> boxElements() const;
};

// Those that can be varied number by number.
SampledBlocks findSampledBlocks(const system::System& system);
// And black boxes that a linear system describes from instant to instant (23.11).
SampledBlocks findSampledBlocks(const model::Model& model, const system::State& state);

// The linear model is that of the closed loop about the state, with the outputs of these black boxes held.
SampledRoots findSampledRoots(const SampledBlocks& blocks, const system::System& system,
                              const LinearModel& linear, const system::State& state);

}  // namespace flexloop::analysis
