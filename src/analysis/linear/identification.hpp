// The gains of a named block of a model about a state (docs/theory/23_identification.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/boxes/identification/box_realization.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

struct GainPair {
  std::string input, output;  // an input that enters with its negative is -NAME
  control::Gains gains;
};

struct Identification {
  std::optional<base::Failure> failure;
  std::vector<GainPair> pairs;
  double residual = 0.0;    // the largest of the pairs
  double step = 0.0;        // [s] of the simulation, or the period of the block
  bool isPerturbed = true;  // false: the gains come from the equations of the block
};

// Names of all blocks, for messages.
std::vector<std::string> blockNames(const system::System& system);

struct BlockPlace {
  const control::BlockSet* set = nullptr;  // null: there is no such block
  int element = -1;
};
BlockPlace findBlock(const system::System& system, const std::string& name);

// Where the model says nothing about time steps.
inline constexpr double kUsualStep = 1e-3;

// The gains as the block has them, before any signal of the model gets a name.
control::BlockGains identifyGains(const model::Model& model, const BlockPlace& place,
                                  const system::State& state, control::GainSettings settings);

// The same for a block that gains do not describe.
control::BoxRealization realizeBox(const model::Model& model, const BlockPlace& place,
                                   const system::State& state, control::GainSettings settings);

// What a black box with a clock that can go back is from instant to instant; nothing if no linear system describes it.
std::optional<control::BoxRealization> realizeSamples(const model::Model& model,
                                                      const BlockPlace& place,
                                                      const system::State& state);

// Exact rates that a block of the program takes beside an input count as derivatives of that input.
Identification identify(const model::Model& model, const BlockPlace& place,
                        const system::State& state, const control::GainSettings& settings);

}  // namespace flexloop::analysis
