// The gains of a block from each of its inputs to each of its outputs (docs/theory/23_identification.md):
// by small changes of its inputs where it can only be called, else from its equations.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "control/blocks/block_set.hpp"
#include "control/boxes/identification/gain_fit.hpp"

namespace flexloop::control {

struct GainSettings {
  double step = 1e-3;  // [s] of the simulation; blocks with a clock take its period instead
  double delta = 0.1;  // share of it by which times are changed
  GainOrder order;
};

struct BlockGains {
  std::optional<base::Failure> failure;
  int inputs = 0, outputs = 0;
  std::vector<Gains> pairs;  // by output, then input

  const Gains& pair(int output, int input) const { return pairs[output * inputs + input]; }
  double residual() const;  // the largest
};

// Gains with a larger residual do not describe the block: it does something else.
inline constexpr double kGainTolerance = 1e-6;

// The inputs are those that the block sees, behind the signs of the model. `period` is that of its clock.
BlockGains identifyGains(const BlockSet& set, int element, const system::State& state,
                         const GainSettings& settings, double period);

}  // namespace flexloop::control
