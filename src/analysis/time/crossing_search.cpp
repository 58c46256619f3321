#include "analysis/time/crossing_search.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::analysis {
namespace {

constexpr double kTolerance = 1e-9;  // share of the step
constexpr double kSameValue = 1e-9;  // of an indicator, relative to its change over the step
constexpr double kInside = 1e-6;     // share of the bracket that a try keeps off its ends
constexpr int kSlow = 12;            // from then on tries halve the bracket
constexpr int kMostTries = 60;

}  // namespace

CrossingSearch::CrossingSearch(const std::vector<double>& before, const std::vector<double>& after,
                               const std::vector<bool>& located, double shortest)
    : located_(located), atLow_(before), atHigh_(after), size_(after.size()), shortest_(shortest) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    atLow_[i] = std::max(before[i], 0.0);
    size_[i] = atLow_[i] - after[i];
  }
  hasCrossing_ = isNegative(after) && !isJustBehind(after);
}

bool CrossingSearch::isNegative(const std::vector<double>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (located_[i] && values[i] < 0.0) return true;
  }
  return false;
}

bool CrossingSearch::isJustBehind(const std::vector<double>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (located_[i] && values[i] < -kSameValue * std::abs(size_[i])) return false;
  }
  return true;
}

double CrossingSearch::estimateShare() const {
  double first = 1.0;
  for (std::size_t i = 0; i < atHigh_.size(); ++i) {
    if (!located_[i] || atHigh_[i] >= 0.0) continue;
    // The aim is the middle of what is just behind the crossing.
    const double aim = 0.5 * kSameValue * std::abs(size_[i]);
    const double share = interpolate(i, aim);
    if (share > 0.0 && share < 1.0) {
      first = std::min(first, share);
      continue;
    }
    const double low = lowWeight_ * (std::max(atLow_[i], 0.0) + aim);
    const double high = highWeight_ * std::max(-atHigh_[i] - aim, 0.0);
    if (low + high > 0.0) first = std::min(first, low / (low + high));
  }
  return first;
}

// Lagrange's polynomial for the fraction over the indicator, which must change one way along the three points.
double CrossingSearch::interpolate(std::size_t i, double aim) const {
  if (atThird_.empty()) return -1.0;
  const double a = atLow_[i] + aim, b = atHigh_[i] + aim, c = atThird_[i] + aim;
  const bool falls = third_ < low_ ? c > a : c < b;
  if (!(a > b) || !falls) return -1.0;
  const double fraction = low_ * b * c / ((a - b) * (a - c)) + high_ * a * c / ((b - a) * (b - c)) +
                          third_ * a * b / ((c - a) * (c - b));
  return (fraction - low_) / (high_ - low_);
}

void CrossingSearch::keep(double fraction, const std::vector<double>& values) {
  third_ = fraction;
  atThird_ = values;
}

double CrossingSearch::next() {
  ++tries_;
  const double width = high_ - low_;
  const double share = tries_ > kSlow ? 0.5 : std::clamp(estimateShare(), kInside, 1.0 - kInside);
  fraction_ = std::max(low_ + share * width, shortest_);
  const double latest = 1.0 - shortest_;
  if (fraction_ > latest) fraction_ = low_ < latest ? std::max(latest, shortest_) : 1.0;
  if (width <= kTolerance || fraction_ >= high_) fraction_ = high_;
  if (shortest_ > 0.5) fraction_ = 1.0;
  return fraction_;
}

bool CrossingSearch::accept(const std::vector<double>& values) {
  const bool wasHigh = fraction_ == high_;
  if (!isNegative(values)) {
    if (lastSide_ < 0) highWeight_ *= 0.5;
    lowWeight_ = 1.0;
    lastSide_ = -1;
    keep(low_, atLow_);
    low_ = fraction_;
    atLow_ = values;
    return wasHigh || tries_ >= kMostTries;
  }
  if (lastSide_ > 0) lowWeight_ *= 0.5;
  highWeight_ = 1.0;
  lastSide_ = 1;
  keep(high_, atHigh_);
  high_ = fraction_;
  atHigh_ = values;
  return wasHigh || fraction_ <= shortest_ || high_ - low_ <= kTolerance || tries_ >= kMostTries ||
         isJustBehind(values);
}

}  // namespace flexloop::analysis
