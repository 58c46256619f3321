#include "analysis/time/idle_events.hpp"

#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {
namespace {

using control::BlockSize;

// Signals that only sampled blocks read, or blocks without states and branches whose outputs only they read. One that nothing reads is
// there for its own sake.
class SampledSignals {
 public:
  SampledSignals(const system::System& system, const control::BlockSet& blocks)
      : blocks_(blocks), noticed_(system.unknowns(), false), readers_(system.unknowns()) {
    for (const auto& set : system.sets()) {
      if (set.get() == &blocks) continue;
      for (int e = 0; e < set->size(); ++e) {
        for (int k = 0; k < set->scalars(e); ++k) noticed_[set->scalar(e, k).value] = true;
      }
    }
    for (int e = 0; e < blocks.size(); ++e) {
      for (int k = 0; k < blocks.inputs(e); ++k) readers_[blocks.input(e, k).value].push_back(e);
    }
  }

  bool contains(int signal) const {
    std::vector<bool> seen(readers_.size(), false);
    std::vector<int> signals{signal};
    bool isSampled = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      if (noticed_[signals[i]]) return false;
      for (const int e : readers_[signals[i]]) {
        const control::Block& block = blocks_.block(e);
        if (block.clock() >= 0) {
          isSampled = true;
          continue;
        }
        const BlockSize size = block.size();
        const bool remembers = size.memory > 0 || size.hasRecord || block.hasHiddenMemory();
        if (block.indicators() > 0 || size.states > 0 || remembers) return false;
        for (int k = 0; k < blocks_.outputs(e); ++k) {
          const int output = blocks_.output(e, k).value;
          if (!seen[output]) signals.push_back(output);
          seen[output] = true;
        }
      }
    }
    return isSampled;
  }

 private:
  const control::BlockSet& blocks_;
  std::vector<bool> noticed_;
  std::vector<std::vector<int>> readers_;  // by signal, blocks
};

}  // namespace

std::vector<bool> findIdleEvents(const system::System& system) {
  std::vector<bool> idle;
  for (const system::Branching* set : system.roles().branching) {
    const auto* blocks = dynamic_cast<const control::BlockSet*>(set);
    if (blocks == nullptr) {
      idle.insert(idle.end(), set->indicators(), false);
      continue;
    }
    const SampledSignals sampled(system, *blocks);
    for (int e = 0; e < blocks->size(); ++e) {
      const int count = blocks->block(e).indicators();
      if (count == 0) continue;
      bool isIdle = blocks->states(e) == 0;
      for (int k = 0; k < blocks->outputs(e) && isIdle; ++k) {
        isIdle = sampled.contains(blocks->output(e, k).value);
      }
      idle.insert(idle.end(), count, isIdle);
    }
  }
  return idle;
}

}  // namespace flexloop::analysis
