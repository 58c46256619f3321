#include "analysis/time/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flexloop::analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Shares of a step, or of the period of a clock that is faster. Times that differ by less than
// round-off are the same; a point of the grid that is nearer than kShortest to a break or to the end
// gives way to it, which saves a step.
constexpr double kRoundOff = 1e-6;
constexpr double kShortest = 0.05;
// Breaks of sources are one only where their times differ by round-off: what a short pulse does in between is not lost.
constexpr double kSameBreak = 16.0 * std::numeric_limits<double>::epsilon();
// Where a branch ends so near to a break that a short step must be, this is the shortest of all.
constexpr double kShortestOfAll = 1e-8;

// The error of a step grows with the third power of its length. A new length needs a new
// factorisation, so small gains are not taken.
constexpr double kSafety = 0.8;
constexpr double kSmallestGain = 1.25;
constexpr double kLargestGain = 1.5;
constexpr double kLargestLoss = 0.3;
constexpr double kUncut = 0.49;  // of the nominal step; two halves of a rest are not cut

}  // namespace

StepControl::StepControl(const model::TimeSettings& settings, std::vector<double> breaks,
                         const std::vector<system::Clock>& clocks,
                         const std::vector<system::Clock>& periodicBreaks, double begin)
    : begin_(begin),
      end_(settings.end),
      step_(std::min(settings.step, settings.end - begin)),
      adaptive_(settings.adaptive),
      interval_(settings.record.interval),
      breaks_(std::move(breaks)),
      clocks_(clocks),
      sampled_(clocks.size()) {
  clocks_.insert(clocks_.end(), periodicBreaks.begin(), periodicBreaks.end());
  for (const system::Clock& clock : clocks_) {
    instants_.push_back(std::max<std::int64_t>(clock.lastInstant(begin_), 0));
  }
  count_ = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil((end_ - begin_) / step_ - kShortest)));
  inverse_ = system::wholeInverse(step_);
  if (interval_ > 0.0) {
    recordsPerSecond_ = system::wholeInverse(interval_);
    shortestPeriod_ = interval_;
  }
  std::sort(breaks_.begin(), breaks_.end());
  for (const system::Clock& clock : clocks_)
    shortestPeriod_ = std::min(shortestPeriod_, clock.period);
}

double StepControl::spacing() const {
  return std::min(step_, shortestPeriod_);
}

double StepControl::gridTime(std::int64_t k) const {
  if (k >= count_) return end_;
  return begin_ +
         (inverse_ > 0.0 ? static_cast<double>(k) / inverse_ : static_cast<double>(k) * step_);
}

bool StepControl::hasPassed(double time, double now) const {
  return time <= (now == interruption_ ? now : now + kRoundOff * spacing());
}

double StepControl::endOfBreak(double now) {
  return now + kSameBreak * std::abs(now);
}

// Where the last step ended before its target, a target that is very near is still to be reached.
double StepControl::endOfInstant(double now) const {
  return now == interruption_ ? now : now + kRoundOff * spacing();
}

double StepControl::findBreak(double now) {
  const double passed = now == interruption_ ? now : endOfBreak(now);
  const double passedInstants = endOfInstant(now);
  while (break_ < breaks_.size() && breaks_[break_] <= passed) ++break_;
  double first = break_ < breaks_.size() ? breaks_[break_] : kInfinity;
  if (stop_ > passedInstants) first = std::min(first, stop_);
  for (std::size_t c = 0; c < clocks_.size(); ++c) {
    while (nextInstant(c) <= (c < sampled_ ? passedInstants : passed)) ++instants_[c];
    first = std::min(first, nextInstant(c));
  }
  return first;
}

double StepControl::findRecord(double now) const {
  if (interval_ <= 0.0) return kInfinity;
  const double next = std::floor(endOfInstant(now) / interval_) + 1.0;
  return recordsPerSecond_ > 0.0 ? next / recordsPerSecond_ : next * interval_;
}

std::vector<bool> StepControl::dueAtStart() const {
  std::vector<bool> due;
  for (std::size_t c = 0; c < sampled_; ++c) {
    const system::Clock& clock = clocks_[c];
    const double nearby = kRoundOff * clock.period;
    const std::int64_t k = clock.lastInstant(begin_ + nearby);
    due.push_back(k >= 0 && std::abs(clock.instant(k) - begin_) <= nearby);
  }
  return due;
}

void StepControl::restore(const Position& position) {
  next_ = position.next;
  step_ = position.step;
  length_ = position.length;
}

void StepControl::interrupt(double now) {
  interruption_ = now;
  next_ = last_;
  done_ = false;
}

double StepControl::shortest() const {
  return kShortestOfAll * step_;
}

StepTarget StepControl::makeTarget(double now, double time, bool isRegular) {
  const double length = time - now;
  const bool isWhole = now != interruption_ && std::abs(length - step_) < kRoundOff * step_;
  length_ = isWhole ? step_ : length;
  StepTarget target{time, time, length_, isRegular, false, false, {}};
  target.isRecord = std::abs(findRecord(now) - time) <= kRoundOff * spacing();
  addJumps(now, target);
  return target;
}

// Jumps that are one but for round-off happen together: the step ends before the first of them and
// the next begins after the last. Sampled blocks act together that read what others of their instant write.
void StepControl::addJumps(double now, StepTarget& target) const {
  const double time = target.time;
  double first = kInfinity, last = -kInfinity;
  const double sameBreak = kSameBreak * std::abs(time), sameInstant = kRoundOff * spacing();
  const auto meets = [&](double jump, double same) {
    if (std::abs(jump - time) > same) return false;
    first = std::min(first, jump);
    last = std::max(last, jump);
    return true;
  };
  // Nothing jumps where a step has to end for others alone.
  const bool isStop = meets(stop_, sameInstant);
  for (std::size_t b = break_; b < breaks_.size() && meets(breaks_[b], sameBreak); ++b) {
    target.isBreak = true;
  }
  for (std::size_t c = 0; c < clocks_.size(); ++c) {
    if (!meets(nextInstant(c), c < sampled_ ? sameInstant : sameBreak)) continue;
    target.isBreak = true;
    if (c >= sampled_) continue;
    target.dueClocks.resize(sampled_, false);
    target.dueClocks[c] = true;
  }
  if (!target.isBreak) {
    if (isStop && !done_) target.time = stop_;
    return;
  }
  target.before = std::nextafter(std::min(first, time), now);
  if (!done_) target.time = last;
}

StepTarget StepControl::next(double now) {
  return adaptive_.enabled ? nextAdaptive(now) : nextOnGrid(now);
}

StepTarget StepControl::nextOnGrid(double now) {
  last_ = next_;
  const double grid = gridTime(next_);
  const double wanted = std::min(findBreak(now), findRecord(now));
  const double distance = (wanted - grid) / spacing();
  // The end does not give way.
  const bool isBeforeEnd = next_ == count_ && wanted < grid - kSameBreak * std::abs(grid);
  if (distance < -kShortest || isBeforeEnd) return makeTarget(now, wanted, false);
  done_ = next_ == count_;
  ++next_;
  const bool givesWay = !done_ && std::abs(distance) <= kShortest;
  return makeTarget(now, givesWay ? wanted : grid, true);
}

StepTarget StepControl::nextAdaptive(double now) {
  const double limit = std::min({findBreak(now), findRecord(now), end_});
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

bool StepControl::canShorten() const {
  // The difference of two times may be longer than the shortest step by its last digits.
  return adaptive_.enabled && length_ > (1.0 + kRoundOff) * adaptive_.minStep;
}

// An error that is no number is none that is allowed.
bool StepControl::exceeds(double localError) const {
  return adaptive_.enabled && !(localError <= adaptive_.tolerance);
}

bool StepControl::rejects(double localError) {
  const bool rejected = canShorten() && exceeds(localError);
  if (rejected) done_ = false;
  return rejected;
}

void StepControl::adaptTo(double localError) {
  if (!adaptive_.enabled) return;
  // A step that something has cut says little about those that will not be.
  if (localError <= adaptive_.tolerance && length_ < kUncut * step_) return;
  const double error = std::max(localError, std::numeric_limits<double>::min());
  const double best = length_ * kSafety * std::cbrt(adaptive_.tolerance / error);
  if (best < step_) setStep(std::max(best, kLargestLoss * step_));
  if (best > kSmallestGain * step_) setStep(std::min(best, kLargestGain * step_));
}

bool StepControl::takeBackFailure() {
  if (!canShorten()) return false;
  done_ = false;
  setStep(0.5 * std::min(step_, length_));
  return true;
}

}  // namespace flexloop::analysis
