#include "analysis/time/touch_search.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::analysis {
namespace {

// Of a value or its change, by which the start of a step differs from the end of the one before where nothing has switched.
constexpr double kSame = 1e-6;
// Of an indicator: a bend of so little is round-off.
constexpr double kRoundOff = 1e-9;
// Of the depth of a parabola over half its width, what its lowest place may be off by: six steps in a period.
constexpr double kMargin = 0.15;
// Of the width of a parabola: another place so near has told enough.
constexpr double kNear = 0.05;
// A place outside of the step, as a share of it, may in fact be inside.
constexpr double kOutside = 0.25;
constexpr double kInside = 0.02;  // share of the step that a look keeps off its ends
constexpr int kMostLooks = 4;

}  // namespace

void IndicatorHistory::beginStep(double now, const std::vector<double>& values) {
  const bool isNext = start.size() == values.size() && end.size() == values.size() && now > time;
  if (start.size() == values.size() && now == time) return;
  largest.resize(values.size(), 0.0);
  if (isNext) {
    before.swap(start);
    timeBefore = time;
  } else {
    timeBefore = now;
  }
  start = values;
  before.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double size = std::abs(values[i]);
    largest[i] = std::max(largest[i], size);
    const bool goesOn =
        isNext && std::abs(values[i] - end[i]) <= kSame * (size + std::abs(values[i] - before[i]));
    if (!goesOn) before[i] = values[i];
  }
  time = now;
}

TouchSearch::TouchSearch(const IndicatorHistory& history, double length,
                         const std::vector<double>& end, const std::vector<bool>& located)
    : located_(located), largest_(history.largest) {
  if (!(history.timeBefore < history.time) || history.start.size() != end.size()) return;
  points_ = {{(history.timeBefore - history.time) / length, history.before},
             {0.0, history.start},
             {1.0, end}};
}

std::optional<double> TouchSearch::next() {
  if (points_.empty() || looks_ == kMostLooks) return {};
  std::optional<double> first;
  for (std::size_t i = 0; i < located_.size(); ++i) {
    if (!located_[i]) continue;
    const std::optional<double> share = findLowest(i);
    if (share && (!first || *share < *first)) first = share;
  }
  ++looks_;
  return first;
}

std::optional<double> TouchSearch::findLowest(std::size_t i) const {
  std::size_t lowest = 1;
  for (std::size_t k = 2; k < points_.size(); ++k) {
    if (points_[k].values[i] < points_[lowest].values[i]) lowest = k;
  }
  const std::size_t k = std::min(lowest, points_.size() - 2);
  const double s0 = points_[k - 1].share, s1 = points_[k].share, s2 = points_[k + 1].share;
  const double g0 = points_[k - 1].values[i], g1 = points_[k].values[i],
               g2 = points_[k + 1].values[i];
  // It falls before its lowest place. Where nothing is known of the step before, it does not.
  if (!(g0 > g1)) return {};
  const double d = (g2 - g1) / (s2 - s1), c = (d - (g1 - g0) / (s1 - s0)) / (s2 - s0);
  const double half = 0.5 * (s2 - s0), depth = c * half * half;
  if (!(depth > kRoundOff * largest_[i])) return {};
  double share = 0.5 * (s1 + s2) - 0.5 * d / c;
  if (share < -kOutside || share > 1.0 + kOutside) return {};
  const double least = g1 + (share - s1) * (d + (share - s2) * c);
  share = std::clamp(share, kInside, 1.0 - kInside);
  const bool isKnown = std::any_of(points_.begin(), points_.end(), [&](const Point& point) {
    return point.share > 0.0 && point.share < 1.0 &&
           std::abs(point.share - share) < 2.0 * kNear * half;
  });
  if (least > (isKnown ? 0.0 : kMargin * depth)) return {};
  return share;
}

void TouchSearch::add(double share, const std::vector<double>& values) {
  const auto after = std::find_if(points_.begin(), points_.end(),
                                  [&](const Point& point) { return point.share > share; });
  points_.insert(after, {share, values});
}

}  // namespace flexloop::analysis
