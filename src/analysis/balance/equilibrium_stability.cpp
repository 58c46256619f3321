#include "analysis/balance/equilibrium_stability.hpp"

#include <algorithm>

#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kFewUnknowns = 240;  // up to these all roots are looked at, above the slowest

}  // namespace

ModeResult findDecidingModes(const model::Model& model, const system::State& state) {
  ModeOptions options;
  const int unknowns = model.system().unknowns();
  const control::BlockSet* blocks = control::findBlocks(model.system());
  // A delay has roots without end. Those that grow are looked for in any case.
  const bool isFinite = blocks == nullptr || blocks->delays().empty();
  if (isFinite && unknowns <= kFewUnknowns) options.count = std::max(2 * unknowns, 1);
  return findModes(model, state, options);
}

solve::Stability judgeByModes(const ModeResult& modes) {
  if (!modes.ok()) return solve::Stability::kUnknown;
  const bool grows = std::any_of(modes.modes.begin(), modes.modes.end(),
                                 [](const Mode& mode) { return !mode.isStable(); });
  return grows ? solve::Stability::kUnstable : solve::Stability::kStable;
}

}  // namespace flexloop::analysis
