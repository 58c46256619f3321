#include "analysis/crossing_search.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::analysis {
namespace {

constexpr double kTolerance = 1e-9;  // share of the step
constexpr double kSameValue = 1e-8;  // of an indicator, relative to its change over the step
constexpr double kShortest = 1e-3;   // share of the step: a relay that chatters must not stop time
constexpr int kMostTries = 40;

}  // namespace

CrossingSearch::CrossingSearch(const std::vector<double>& before, const std::vector<double>& after,
                               const std::vector<bool>& located)
    : located_(located), atLow_(before) {
  choose(after, 1.0);
}

void CrossingSearch::choose(const std::vector<double>& values, double fraction) {
  double first = 2.0;
  indicator_ = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!located_[i] || values[i] >= 0.0) continue;
    const double g = std::max(atLow_[i], 0.0);
    const double estimate = g / (g - values[i]);
    if (estimate >= first) continue;
    first = estimate;
    indicator_ = static_cast<int>(i);
  }
  if (indicator_ < 0) return;
  high_ = fraction;
  gLow_ = std::max(atLow_[indicator_], 0.0);
  gHigh_ = values[indicator_];
  size_ = std::max(size_, gLow_ - gHigh_);
}

double CrossingSearch::next() {
  ++tries_;
  const double width = high_ - low_;
  double share = gLow_ / (gLow_ - gHigh_);
  // The method can be slow where the indicator is far from straight.
  if (tries_ % 4 == 0) share = 0.5;
  fraction_ = low_ + share * width + kTolerance;
  fraction_ = std::clamp(fraction_, std::max(low_ + 0.5 * kTolerance, kShortest), high_);
  return fraction_;
}

bool CrossingSearch::accept(const std::vector<double>& values) {
  const int before = indicator_;
  const double oldHigh = gHigh_;
  bool crossed = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    crossed = crossed || (located_[i] && values[i] < 0.0);
  }
  if (crossed) {
    choose(values, fraction_);
    return fraction_ <= kShortest || high_ - low_ <= 2.0 * kTolerance || tries_ >= kMostTries ||
           -gHigh_ <= kSameValue * size_;
  }
  low_ = fraction_;
  atLow_ = values;
  indicator_ = before;
  gLow_ = std::max(values[before], 0.0);
  gHigh_ = 0.5 * oldHigh;
  return high_ - low_ <= 0.5 * kTolerance || tries_ >= kMostTries;
}

}  // namespace flexloop::analysis
