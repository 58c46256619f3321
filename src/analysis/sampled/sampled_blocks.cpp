#include "analysis/sampled/sampled_blocks.hpp"

#include "analysis/linear/identification.hpp"
#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {
namespace {

using control::Block;

// (25.6) for x⁺ = A x + B u, y = C x + D u: all is done in the first move.
control::SamplePartials makePartials(const control::BoxRealization& box) {
  const Eigen::Index n = box.countStates(), p = box.D.rows(), m = box.D.cols();
  control::SamplePartials partials;
  partials.sample.setZero(n + p, n + p + m);
  partials.sample.leftCols(n) << box.A, box.C;
  partials.sample.rightCols(m) << box.B, box.D;
  partials.update.setIdentity(n + p, n + p + m);
  partials.output.setZero(p, n + p);
  partials.output.rightCols(p).setIdentity();
  return partials;
}

}  // namespace

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
      blocks.boxes[element] = makePartials(*box);
      blocks.elements.push_back(element);
    } else {
      blocks.warnings.push_back("black box '" + blocks.set->name(element) +
                                "' is not linear from sample to sample; it is treated as "
                                "continuous here, with its gains");
    }
  }
  return blocks;
}

std::vector<int> SampledBlocks::boxElements() const {
  std::vector<int> found;
  for (const auto& [element, partials] : boxes) found.push_back(element);
  return found;
}

}  // namespace flexloop::analysis
