#include "control/sampled/sample_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "system/signal_graph.hpp"

namespace flexloop::control {
namespace {

constexpr double kSameInstant = 1e-6;  // share of the shorter period

bool isWhole(double x) {
  return std::abs(x - std::round(x)) < kSameInstant;
}

// Whether two clocks may have an instant in common. Periods that are no multiples of each other may
// meet somewhere.
bool mayCoincide(const system::Clock& a, const system::Clock& b) {
  const double shorter = std::min(a.period, b.period), longer = std::max(a.period, b.period);
  return !isWhole(longer / shorter) || isWhole((a.offset - b.offset) / shorter);
}

// By clock, a number that those share which may act at the same instant, directly or by way of others.
std::vector<int> groupClocks(const std::vector<system::Clock>& clocks) {
  std::vector<int> group(clocks.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (group[i] == group[k] || !mayCoincide(clocks[i], clocks[k])) continue;
      std::replace(group.begin(), group.end(), int{group[k]}, int{group[i]});
    }
  }
  return group;
}

// Depth-first over signals; the level of a signal is that of the sampled blocks before it. Only the
// given blocks act; all other sampled blocks hold their outputs.
class Levels {
 public:
  Levels(const system::System& system, const BlockSet& blocks, const std::vector<int>& acting)
      : blocks_(blocks), graph_(system), sampler_(system.unknowns(), -1) {
    for (const int e : acting) {
      for (int k = 0; k < blocks.outputs(e); ++k) sampler_[blocks.output(e, k).value] = e;
    }
    levels_.assign(system.unknowns(), kUnseen);
    for (int e = 0; e < blocks.size(); ++e) {
      if (blocks.block(e).jumpsWithInputs()) continue;
      for (int k = 0; k < blocks.outputs(e); ++k) levels_[blocks.output(e, k).value] = kPast;
    }
    blockLevels_.assign(blocks.size(), kUnseen);
  }

  // A signal in an algebraic loop has the level of all of the loop, which one walk may not see.
  void settle() {
    for (bool changed = true; changed && circle_.empty();) {
      changed = false;
      for (std::size_t u = 0; u < levels_.size(); ++u) {
        if (levels_[u] < 0) continue;
        for (const int used : graph_.usedBy(static_cast<int>(u))) {
          const int level = sampler_[used] >= 0 ? blockLevels_[sampler_[used]] + 1 : levels_[used];
          if (level <= levels_[u]) continue;
          levels_[u] = level;
          changed = true;
        }
      }
      for (int e = 0; e < blocks_.size(); ++e) changed = raise(e) || changed;
    }
  }
  int level(int e) const { return blockLevels_[e]; }

  // The level of a sampled block, one more than that of the sampled blocks it reads from.
  int ofBlock(int e) {
    int& level = blockLevels_[e];
    if (level != kUnseen) {
      if (level == kOpen && circle_.empty()) startCircle(e);
      return std::max(level, 0);
    }
    level = kOpen;
    path_.push_back(e);
    int own = 0;
    if (blocks_.block(e).samplesInputs()) {
      for (int k = 0; k < blocks_.inputs(e); ++k) {
        own = std::max(own, ofSignal(blocks_.input(e, k).value));
      }
    }
    path_.pop_back();
    return blockLevels_[e] = own;
  }

  const std::vector<std::string>& circle() const { return circle_; }

 private:
  // kPast: the signal is that of earlier instants.
  static constexpr int kUnseen = -2, kOpen = -1, kPast = -3;

  // The number of levels that must have acted before the signal is known.
  int ofSignal(int u) {
    if (sampler_[u] >= 0) return ofBlock(sampler_[u]) + 1;
    if (levels_[u] != kUnseen) return std::max(levels_[u], 0);
    levels_[u] = kOpen;
    int level = 0;
    for (const int used : graph_.usedBy(u)) level = std::max(level, ofSignal(used));
    return levels_[u] = level;
  }

  // Lifts a sampled block above the signals that it reads.
  bool raise(int e) {
    if (blockLevels_[e] == kUnseen || !blocks_.block(e).samplesInputs()) return false;
    const int before = blockLevels_[e];
    for (int k = 0; k < blocks_.inputs(e); ++k) {
      const int u = blocks_.input(e, k).value;
      const int needed = sampler_[u] >= 0 ? blockLevels_[sampler_[u]] + 1 : levels_[u];
      blockLevels_[e] = std::max(blockLevels_[e], needed);
    }
    if (blockLevels_[e] > blocks_.size()) circle_ = {blocks_.name(e)};
    return blockLevels_[e] > before;
  }

  void startCircle(int e) {
    const auto first = std::find(path_.begin(), path_.end(), e);
    for (auto it = first; it != path_.end(); ++it) circle_.push_back(blocks_.name(*it));
  }

  const BlockSet& blocks_;
  system::SignalGraph graph_;
  std::vector<int> sampler_;  // by unknown, the sampled block that outputs it
  std::vector<int> levels_, blockLevels_, path_;
  std::vector<std::string> circle_;
};

}  // namespace

std::vector<std::string> orderSamples(const system::System& system, BlockSet& blocks) {
  const std::vector<int> groups = groupClocks(system.clocks());
  std::map<int, std::vector<int>> acting;  // blocks by group
  for (int e = 0; e < blocks.size(); ++e) {
    const int clock = blocks.block(e).clock();
    if (clock >= 0) acting[groups[clock]].push_back(e);
  }
  for (const auto& [group, members] : acting) {
    Levels levels(system, blocks, members);
    for (const int e : members) levels.ofBlock(e);
    levels.settle();
    if (!levels.circle().empty()) return levels.circle();
    for (const int e : members) blocks.setSampleLevel(e, levels.level(e));
  }
  return {};
}

}  // namespace flexloop::control
