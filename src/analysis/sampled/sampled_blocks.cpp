#include "analysis/sampled/sampled_blocks.hpp"

#include "analysis/linear/identification.hpp"
#include "analysis/sampled/rounded_boxes.hpp"
#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {
using control::Block;

SampledBlocks findSampledBlocks(const system::System& system) {
  SampledBlocks blocks;
  blocks.set = control::findBlocks(system);
  if (blocks.set == nullptr) return blocks;
  for (const int element : blocks.set->sampled()) {
    if (!blocks.set->block(element).hasHiddenMemory()) blocks.elements.push_back(element);
  }
  return blocks;
}

SampledBlocks findSampledBlocks(const model::Model& model, const system::State& state) {
  SampledBlocks blocks = findSampledBlocks(model.system());
  if (blocks.set == nullptr) return blocks;
  for (const int element : blocks.set->sampled()) {
    const Block& block = blocks.set->block(element);
    if (!block.hasHiddenMemory() || !block.canGoBack()) continue;
    if (const auto box = realizeSamples(model, {blocks.set, element}, state)) {
      blocks.boxes[element] = makeBoxPartials(*box);
      blocks.elements.push_back(element);
    } else if (!block.fault()) {
      blocks.warnings.push_back("black box '" + blocks.set->name(element) +
                                "' is not linear from sample to sample; it is treated as "
                                "continuous here, with its gains");
    }
  }
  return blocks;
}

std::optional<base::Failure> findSampledFault(const system::System& system) {
  const control::BlockSet* blocks = control::findBlocks(system);
  if (blocks == nullptr) return {};
  for (const int element : blocks->sampled()) {
    if (auto fault = blocks->block(element).fault()) return fault;
  }
  return {};
}

std::vector<int> SampledBlocks::boxElements() const {
  std::vector<int> found;
  for (const auto& [element, partials] : boxes) found.push_back(element);
  return found;
}

}  // namespace flexloop::analysis
