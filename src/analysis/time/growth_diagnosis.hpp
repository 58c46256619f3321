// Which mode of the linearised machine it is that grows in a run, who takes part in it, and what to try
// (docs/theory/27_trust.md, section 27.1).
#pragma once

#include <cstdint>

#include "analysis/time/growth_watch.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

// How a run has ended.
struct RunEnd {
  enum Kind : std::uint8_t { kRegular, kUnsolved, kOther };
  Kind kind = kRegular;    // unsolved: a step has no solution
  double time = 0.0;       // [s]
  double step = 0.0;       // [s], nominal
  bool hasGained = false;  // a good part of its motion has come from outside; see EnergyWatch
};

// Says of a run that grows without bound that it does so, whatever it has ended with, and judges it.
void explainByGrowth(const model::Model& model, const GrowthWatch& watch, const RunEnd& end,
                     RunHealth& health);

// The state is one of the run, soon after it began to grow. A growth that has ended before the run did has a time until
// which it went on; negative: it has not.
GrowthReport diagnoseGrowth(const model::Model& model, const Growth& growth,
                            const system::State& state, double until = -1.0);

}  // namespace flexloop::analysis
