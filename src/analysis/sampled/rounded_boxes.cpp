#include "analysis/sampled/rounded_boxes.hpp"

#include "analysis/linear/identification.hpp"

namespace flexloop::analysis {

control::SamplePartials makeBoxPartials(const linalg::StateMatrices& box) {
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

std::vector<SampledBlocks> findTwins(const SampledBlocks& blocks, const model::Model& model,
                                     const system::State& state) {
  std::vector<SampledBlocks> twins;
  for (const auto& [element, partials] : blocks.boxes) {
    if (!control::roundsNumbers(blocks.set->block(element))) continue;
    const auto box = realizeSamples(model, {blocks.set, element}, state);
    for (std::size_t k = 0; box && k < box->twins.size(); ++k) {
      if (k == twins.size()) twins.push_back(blocks);
      twins[k].boxes[element] = makeBoxPartials(box->twins[k]);
    }
  }
  return twins;
}

}  // namespace flexloop::analysis
