// A machine with its sampled blocks, as large as dense matrices can be; a larger one is condensed
// (docs/theory/25_delays_and_samples.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/condensed_model.hpp"
#include "analysis/sampled/sampled_map.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

struct SampledMachine {
  std::optional<base::Failure> failure;
  Sampling sampling;  // its unknowns are those of `linear()`
  std::optional<CondensedModel> condensed;
  std::string note;  // about this, where it is condensed

  const LinearModel& linear() const { return condensed ? condensed->linear : *whole; }
  // The unknown of the whole pencil for one of `linear()`, and the other way round; -1: there is none.
  int wholeOf(int unknown) const;
  int placeOf(int unknown) const;

  const LinearModel* whole = nullptr;
};

// The linear model is that of the closed loop about the state, with the outputs of
// black boxes among the blocks held; it must outlive this.
SampledMachine makeSampledMachine(const SampledBlocks& blocks, const system::System& system,
                                  const LinearModel& linear, const system::State& state);

}  // namespace flexloop::analysis
