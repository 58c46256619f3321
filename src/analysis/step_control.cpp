#include "analysis/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flexloop::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Shares of a step. Times that differ by less than round-off are the same; a step shorter than
// kShortest would drown accelerations in round-off of positions, so a point of the grid that is so
// near to a break or to the end gives way to it.
constexpr double kRoundOff = 1e-6;
constexpr double kShortest = 0.05;

}  // namespace

StepControl::StepControl(double end, double step, std::vector<double> breaks)
    : end_(end), step_(std::min(step, end)), breaks_(std::move(breaks)) {
  const double ratio = end_ / step_;
  count_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ratio - kShortest)));
  // 3/1000 is the double that a user calls 0.003; 3·0.001 is not.
  const double inverse = std::round(1.0 / step_);
  if (std::abs(inverse * step_ - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) {
    inverse_ = inverse;
  }
  std::sort(breaks_.begin(), breaks_.end());
}

double StepControl::gridTime(std::int64_t k) const {
  if (k >= count_) return end_;
  return inverse_ > 0.0 ? static_cast<double>(k) / inverse_ : static_cast<double>(k) * step_;
}

double StepControl::findBreak(double now) {
  while (break_ < breaks_.size() && breaks_[break_] <= now + kRoundOff * step_) ++break_;
  return break_ < breaks_.size() ? breaks_[break_] : kInfinity;
}

StepTarget StepControl::makeTarget(double now, double time, bool onGrid) const {
  const double length = time - now;
  const bool whole = std::abs(length - step_) < kRoundOff * step_;
  return {time, whole ? step_ : length, onGrid};
}

StepTarget StepControl::next(double now) {
  const double grid = gridTime(next_);
  const double wanted = findBreak(now);
  const double distance = (wanted - grid) / step_;
  if (distance < -kShortest) return makeTarget(now, wanted, false);
  const bool isLast = next_ == count_;
  ++next_;
  const bool replaced = !isLast && std::abs(distance) <= kShortest && std::abs(distance) > kRoundOff;
  return makeTarget(now, replaced ? wanted : grid, true);
}

}  // namespace flexloop::analysis
