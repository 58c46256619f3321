#include "analysis/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flexloop::analysis {
namespace {

// Shares of a step, or of the period of a clock that is faster. Times that differ by less than
// round-off are the same; a step shorter than kShortest would drown accelerations in round-off of
// positions, so a point of the grid that is so near to a break or to the end gives way to it.
constexpr double kRoundOff = 1e-6;
constexpr double kShortest = 0.05;

// The error of a step grows with the third power of its length. A new length needs a new
// factorisation, so small gains are not taken.
constexpr double kSafety = 0.8;
constexpr double kSmallestGain = 1.25;
constexpr double kLargestGain = 1.5;
constexpr double kLargestLoss = 0.3;

// Steps per second where that is a whole number; else 0.
double wholeInverse(double step) {
  const double inverse = std::round(1.0 / step);
  const bool isWhole =
      std::abs(inverse * step - 1.0) < 4.0 * std::numeric_limits<double>::epsilon();
  return isWhole ? inverse : 0.0;
}

}  // namespace

StepControl::StepControl(const model::TimeSettings& settings, std::vector<double> breaks,
                         const std::vector<system::Clock>& clocks)
    : end_(settings.end),
      step_(std::min(settings.step, settings.end)),
      adaptive_(settings.adaptive),
      breaks_(std::move(breaks)),
      clocks_(clocks),
      instants_(clocks.size(), 0) {
  count_ =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(end_ / step_ - kShortest)));
  // 3/1000 is the double that a user calls 0.003; 3·0.001 is not.
  inverse_ = wholeInverse(step_);
  std::sort(breaks_.begin(), breaks_.end());
  for (const system::Clock& clock : clocks_)
    shortestPeriod_ = std::min(shortestPeriod_, clock.period);
}

double StepControl::spacing() const {
  return std::min(step_, shortestPeriod_);
}

double StepControl::gridTime(std::int64_t k) const {
  if (k >= count_) return end_;
  return inverse_ > 0.0 ? static_cast<double>(k) / inverse_ : static_cast<double>(k) * step_;
}

double StepControl::findBreak(double now) {
  const double passed = now + kRoundOff * spacing();
  while (break_ < breaks_.size() && breaks_[break_] <= passed) ++break_;
  double first =
      break_ < breaks_.size() ? breaks_[break_] : std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < clocks_.size(); ++c) {
    while (instant(c, instants_[c]) <= passed) ++instants_[c];
    first = std::min(first, instant(c, instants_[c]));
  }
  return first;
}

double StepControl::instant(std::size_t clock, std::int64_t k) const {
  const auto& [period, offset] = clocks_[clock];
  const double inverse = wholeInverse(period);
  return offset +
         (inverse > 0.0 ? static_cast<double>(k) / inverse : static_cast<double>(k) * period);
}

std::vector<bool> StepControl::dueAtStart() const {
  std::vector<bool> due;
  for (const system::Clock& clock : clocks_) due.push_back(clock.offset == 0.0);
  return due;
}

void StepControl::interrupt() {
  next_ = last_;
  done_ = false;
}

StepTarget StepControl::makeTarget(double now, double time, bool isRegular) {
  const double length = time - now;
  const bool isWhole = std::abs(length - step_) < kRoundOff * step_;
  length_ = isWhole ? step_ : length;
  const auto isAt = [&](double t) { return std::abs(t - time) <= kRoundOff * spacing(); };
  StepTarget target{time, length_, isRegular, break_ < breaks_.size() && isAt(breaks_[break_]), {}};
  for (std::size_t c = 0; c < clocks_.size(); ++c) {
    if (!isAt(instant(c, instants_[c]))) continue;
    target.dueClocks.resize(clocks_.size(), false);
    target.dueClocks[c] = true;
    target.isBreak = true;
  }
  return target;
}

StepTarget StepControl::next(double now) {
  return adaptive_.enabled ? nextAdaptive(now) : nextOnGrid(now);
}

StepTarget StepControl::nextOnGrid(double now) {
  last_ = next_;
  const double grid = gridTime(next_);
  const double wanted = findBreak(now);
  const double distance = (wanted - grid) / spacing();
  if (distance < -kShortest) return makeTarget(now, wanted, false);
  done_ = next_ == count_;
  ++next_;
  const bool givesWay = !done_ && std::abs(distance) <= kShortest;
  return makeTarget(now, givesWay ? wanted : grid, true);
}

StepTarget StepControl::nextAdaptive(double now) {
  const double limit = std::min(findBreak(now), end_);
  const double rest = limit - now;
  const bool reachesLimit = rest <= step_ + kShortest * spacing();
  done_ = reachesLimit && limit == end_;
  if (reachesLimit) return makeTarget(now, limit, true);
  // Two halves are better than a whole step and a bit.
  return makeTarget(now, now + (rest < 2.0 * step_ ? 0.5 * rest : step_), true);
}

void StepControl::setStep(double step) {
  step_ = std::clamp(step, adaptive_.minStep, adaptive_.maxStep);
}

bool StepControl::rejects(double localError) {
  const bool rejected =
      adaptive_.enabled && localError > adaptive_.tolerance && length_ > adaptive_.minStep;
  if (rejected) done_ = false;
  return rejected;
}

void StepControl::adaptTo(double localError) {
  if (!adaptive_.enabled) return;
  const double error = std::max(localError, std::numeric_limits<double>::min());
  const double best = length_ * kSafety * std::cbrt(adaptive_.tolerance / error);
  if (best < step_) setStep(std::max(best, kLargestLoss * step_));
  if (best > kSmallestGain * step_) setStep(std::min(best, kLargestGain * step_));
}

void StepControl::adaptToFailure() {
  if (adaptive_.enabled) setStep(0.5 * step_);
}

}  // namespace flexloop::analysis
