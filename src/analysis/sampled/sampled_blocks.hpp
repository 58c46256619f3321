// Sampled blocks as they take part in modes (docs/theory/25_delays_and_samples.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/sampled/sample_partials.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::control {
class BlockSet;
}

namespace flexloop::analysis {

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

// The fault of one that has failed while it was asked: without it, the linear model is that of another machine.
std::optional<base::Failure> findSampledFault(const system::System& system);

}  // namespace flexloop::analysis
