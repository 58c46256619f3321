#include "analysis/time/growth_watch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace flexloop::analysis {
namespace {

using system::Kind;
using system::UnknownIndex;

// Doublings whose times are compared with each other.
constexpr int kBlock = 4;
// Of the time that one block takes, by the mean of those after it: an oscillation lets them vary.
constexpr double kShortestBlock = 1.0 / 3.0, kLongestBlock = 3.0;
// The second half of all doublings takes no longer than this times the first: t⁶ does.
constexpr double kSlowing = 1.5;
// Doublings that may be missing at the end: a growing oscillation passes through zero.
constexpr double kPatience = 8.0;
// Steps that a growth takes at least: one that takes fewer is a jump.
constexpr double kFewestSteps = 4.0;

}  // namespace

Doublings::Doublings() : times_(kHighest - kLowest + 1, 0.0) {}

bool Doublings::add(double size, double time) {
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  const int level = std::ilogb(size);
  if (level <= last_) return false;
  const bool isFirst = first_ == kHighest;
  if (isFirst) first_ = level;
  for (int k = isFirst ? level : last_ + 1; k <= level; ++k) times_[k - kLowest] = time;
  last_ = level;
  return !isFirst;
}

// From the end back, as long as blocks of doublings take about as long as those after them. The first level of all was not
// reached, but begun with.
int Doublings::findOnset(int last, double step, bool mayHurry) const {
  int onset = last - kBlock;
  while (onset - kBlock > first_) {
    const double mean = kBlock * (timeOf(last) - timeOf(onset)) / static_cast<double>(last - onset);
    const double block = timeOf(onset) - timeOf(onset - kBlock);
    if (block + step < kShortestBlock * mean) break;
    if (!mayHurry && block > kLongestBlock * mean + step) break;
    onset -= kBlock;
  }
  return onset;
}

bool Doublings::slowsDown(int onset, int last, double step) const {
  const int middle = (onset + last) / 2;
  return timeOf(last) - timeOf(middle) > kSlowing * (timeOf(middle) - timeOf(onset)) + step;
}

std::optional<Doublings::Past> Doublings::findPast(double step, int fewest) const {
  std::optional<Past> longest;
  for (int last = first_ + std::max(fewest, kBlock) + 1; last <= last_; ++last) {
    const int onset = findOnset(last, step, false);
    const double time = timeOf(last) - timeOf(onset);
    const auto doublings = static_cast<double>(last - onset);
    if (doublings < fewest || time < kFewestSteps * step || slowsDown(onset, last, step)) continue;
    if (longest && doublings <= longest->growth.doublings) continue;
    longest = {{.since = timeOf(onset),
                .rate = std::numbers::ln2 * doublings / time,
                .doublings = doublings},
               timeOf(last)};
  }
  return longest;
}

std::optional<Growth> Doublings::find(double now, double step, int fewest, bool mayHurry) const {
  if (last_ - first_ <= std::max(fewest, kBlock)) return std::nullopt;
  for (const bool hurries : {false, true}) {
    if (hurries && !mayHurry) break;
    const int onset = findOnset(last_, step, hurries);
    const double time = timeOf(last_) - timeOf(onset);
    const int doublings = last_ - onset;
    const double pace = time / static_cast<double>(doublings);
    const bool isOver = now - timeOf(last_) > kPatience * pace + step;
    if (doublings < fewest || time < kFewestSteps * step || isOver) continue;
    if (slowsDown(onset, last_, step)) continue;
    return Growth{.since = timeOf(onset),
                  .rate = std::numbers::ln2 / pace,
                  .doublings = static_cast<double>(doublings),
                  .isSteady = !hurries};
  }
  return std::nullopt;
}

GrowthWatch::GrowthWatch(const system::System& system, const system::State& start)
    : quantity_(system.unknowns(), kNone), last_(start.value) {
  for (int u = 0; u < system.unknowns(); ++u) {
    switch (system.kind(UnknownIndex{u})) {
      case Kind::kMotion:
        quantity_[u] = system.isRotation(UnknownIndex{u}) ? kRotation : kTranslation;
        break;
      case Kind::kState:
        quantity_[u] = kStateRate;
        break;
      case Kind::kSignal:
        quantity_[u] = kSignal;
        break;
      case Kind::kMultiplier:
        break;
    }
  }
  kept_.push_back(start);
}

bool GrowthWatch::add(const system::State& state) {
  std::array<double, kQuantities> sizes{};
  for (std::size_t u = 0; u < quantity_.size(); ++u) {
    const auto i = static_cast<Eigen::Index>(u);
    switch (quantity_[u]) {
      case kTranslation:
      case kRotation:
        sizes[quantity_[u]] = std::max(sizes[quantity_[u]], std::abs(state.acceleration[i]));
        break;
      case kStateRate:
        sizes[kStateRate] = std::max(sizes[kStateRate], std::abs(state.rate[i]));
        break;
      case kSignal:
        sizes[kSignal] = std::max(sizes[kSignal], std::abs(state.value[i] - last_[i]));
        last_[i] = state.value[i];
        break;
      default:
        break;
    }
  }
  bool hasDoubled = false;
  for (int q = 0; q < kQuantities; ++q) {
    hasDoubled = doublings_[q].add(sizes[q], state.time) || hasDoubled;
  }
  // The later, the rarer: the best place to linearise a machine is where the growth is still small.
  if (hasDoubled && std::has_single_bit(++seen_)) kept_.push_back(state);
  return hasDoubled;
}

std::optional<Growth> GrowthWatch::find(double now, double step, int fewest, bool mayHurry) const {
  std::optional<Growth> most;
  for (int q = 0; q < kQuantities; ++q) {
    std::optional<Growth> growth = doublings_[q].find(now, step, fewest, mayHurry);
    if (!growth) continue;
    growth->isMotion = q == kTranslation || q == kRotation;
    // Where motions grow too, the machine grows.
    const bool isBetter =
        !most || (growth->isMotion && !most->isMotion) ||
        (growth->isMotion == most->isMotion && growth->doublings > most->doublings);
    if (isBetter) most = growth;
  }
  return most;
}

std::optional<Doublings::Past> GrowthWatch::findPast(double step, int fewest) const {
  std::optional<Doublings::Past> most;
  for (const Quantity q : {kTranslation, kRotation}) {
    const std::optional<Doublings::Past> past = doublings_[q].findPast(step, fewest);
    if (past && (!most || past->growth.doublings > most->growth.doublings)) most = past;
  }
  return most;
}

const system::State& GrowthWatch::stateSince(double time) const {
  for (const system::State& state : kept_) {
    if (state.time >= time) return state;
  }
  return kept_.back();
}

}  // namespace flexloop::analysis
