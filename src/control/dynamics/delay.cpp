#include "control/dynamics/delay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::control {
namespace {

// Times that differ by no more are one: where a source jumps, a step ends one bit before.
constexpr double kSameTime = 8.0 * std::numeric_limits<double>::epsilon();
// A change of the input at one time that counts as a jump: of its size there, and of the largest that is remembered.
constexpr double kJump = 1e-6, kSmallestJump = 1e-12;
// Points nearer to each other than this share of the interval of interest would only amplify noise.
constexpr double kNearest = 0.1;
// How many points are kept that are older than the delay, and how many more may gather.
constexpr int kKept = 16, kGathered = 64;

// The record as points.
class Past {
 public:
  explicit Past(const std::vector<double>& record) : record_(record) {}
  int size() const { return static_cast<int>(record_.size() / 2); }
  double time(int i) const { return record_[2 * i]; }
  double value(int i) const { return record_[2 * i + 1]; }
  bool isJump(int i) const { return i + 1 < size() && time(i) == time(i + 1); }

  // Whether the value differs from the last one by more than round-off.
  bool isJumpTo(double value) const {
    const double last = this->value(size() - 1), change = std::abs(value - last);
    if (change <= kJump * std::max(std::abs(value), std::abs(last))) return false;
    double largest = std::abs(value);
    for (int i = 0; i < size(); ++i) largest = std::max(largest, std::abs(this->value(i)));
    return change > kSmallestJump * largest;
  }

  // The number of points before `time`, with those at it or without.
  int countUntil(double time, bool inclusive) const {
    int low = 0, high = size();
    while (low < high) {
      const int middle = (low + high) / 2;
      const bool before = inclusive ? this->time(middle) <= time : this->time(middle) < time;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    return low;
  }

 private:
  const std::vector<double>& record_;
};

}  // namespace

double TransportDelay::roundOff(double time) const {
  return kSameTime * std::max(delay_, std::abs(time));
}

bool TransportDelay::isRecord(const std::vector<double>& record) const {
  if (record.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    if (!std::isfinite(record[i])) return false;
    if (i >= 2 && i % 2 == 0 && record[i] < record[i - 2]) return false;
  }
  return true;
}

TransportDelay::Points TransportDelay::findPoints(double time, const double* memory,
                                                  const std::vector<double>& record) const {
  if (record.empty()) return {{kPresent}, 1};
  const Past past(record);
  const double s = time - delay_, now = time - roundOff(time);
  const int first = std::max(past.countUntil(memory[kBegin], true) - 1, 0);
  const bool isNewest = memory[kEnd] > 0.5 * kNever;
  int end = isNewest ? past.size() : past.countUntil(memory[kEnd], false) + 1;
  end = std::clamp(end, first + 1, past.size());
  // The present takes part only if the delayed time lies behind all older points.
  if (end - first > 1 && past.time(end - 1) >= now && s <= past.time(end - 2)) --end;
  const bool usesPresent = isNewest && past.time(end - 1) < now && s > past.time(end - 1);
  const auto timeOf = [&](int i) { return i == end ? time : past.time(i); };
  const int last = usesPresent ? end : end - 1;

  int low = std::clamp(past.countUntil(s, true) - 1, first, std::max(last - 1, first));
  int high = std::min(low + 1, last);
  const double gap = kNearest * (timeOf(high) - timeOf(low));
  Points points;
  if (gap <= 0.0) return {{low}, 1};
  std::array<int, 2> left{-1, -1};
  int lefts = 0;
  for (int i = low - 1, nearest = low; i >= first && lefts < 2; --i) {
    if (timeOf(nearest) - timeOf(i) < gap) continue;
    left[lefts++] = nearest = i;
  }
  int right = high + 1;
  while (right <= last && timeOf(right) - timeOf(high) < gap) ++right;
  const bool hasRight = right <= last;
  for (int k = hasRight ? std::min(lefts, 1) : lefts; k > 0; --k) {
    points.index[points.count++] = left[k - 1];
  }
  points.index[points.count++] = low;
  points.index[points.count++] = high == end ? kPresent : high;
  if (hasRight) points.index[points.count++] = right == end ? kPresent : right;
  return points;
}

void TransportDelay::beginAt(double time, BlockMemory memory) {
  std::vector<double>& record = *memory.record;
  if (record.empty()) return;
  record = constantUntil(time, record.back());
  memory.memory[kBegin] = -kNever;
  memory.memory[kEnd] = time;
}

void TransportDelay::forgetPast(BlockMemory memory) const {
  memory.record->clear();
  memory.memory[kBegin] = -kNever;
  memory.memory[kEnd] = kNever;
}

void TransportDelay::endRest(const BlockPorts<double>& p, BlockMemory to) const {
  *to.record = constantUntil(p.t, p.u[0]);
  to.memory[kBegin] = -kNever;
  to.memory[kEnd] = p.t;
}

void TransportDelay::remember(const BlockPorts<double>& p, BlockMemory to) const {
  std::vector<double>& record = *to.record;
  if (record.empty()) {
    record = constantUntil(p.t, p.u[0]);
    to.memory[kEnd] = p.t;
  }
  const Past past(record);
  if (p.t - past.time(past.size() - 1) > roundOff(p.t)) {
    record.insert(record.end(), {p.t, p.u[0]});
  } else {
    record.back() = p.u[0];
  }
  const int old = past.countUntil(p.t - delay_, true) - kKept;
  if (old > std::max(kGathered, past.size() / 2)) {
    record.erase(record.begin(), record.begin() + 2 * old);
  }
}

void TransportDelay::calcIndicators(const BlockPorts<double>& p, double* values) const {
  if (p.record->empty()) {
    values[0] = values[1] = 1.0;
    return;
  }
  const Past past(*p.record);
  const int last = past.size() - 1;
  const double end = p.memory[kEnd];
  // Just before the jump arrives counts as there: a step may end on it.
  values[0] = end > 0.5 * kNever ? 1.0 : end + delay_ - p.t - roundOff(p.t);
  const bool isNow = p.t - past.time(last) <= roundOff(p.t);
  values[1] = isNow && past.isJumpTo(p.u[0]) ? -1.0 : 1.0;
}

void TransportDelay::switchBranches(const BlockPorts<double>& p, BlockMemory to) const {
  double g[2];
  calcIndicators(p, g);
  std::vector<double>& record = *to.record;
  if (g[1] < 0.0) {
    const int last = Past(record).size() - 1;
    const double time = record[2 * last];
    if (last > 0 && Past(record).isJump(last - 1)) {
      record.back() = p.u[0];
    } else {
      record.insert(record.end(), {time, p.u[0]});
      to.memory[kEnd] = std::min(to.memory[kEnd], time);
    }
  }
  if (g[0] < 0.0) {
    const Past past(record);
    to.memory[kBegin] = to.memory[kEnd];
    int i = past.countUntil(to.memory[kBegin], true);
    while (i < past.size() && !past.isJump(i)) ++i;
    to.memory[kEnd] = i < past.size() ? past.time(i) : kNever;
  }
}

}  // namespace flexloop::control
