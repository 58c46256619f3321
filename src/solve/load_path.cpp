#include "solve/load_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flexloop::solve {

using system::State;

namespace {

// Lengths are the larger of the share of the loads and the largest turn [rad], or move relative to the machine.
constexpr double kFirstLength = 0.05, kLargestLength = 0.5, kSmallestLength = 1e-7;
constexpr double kGrowth = 2.0, kCut = 0.35;
constexpr double kContraction = 0.5;  // of corrections, from one to the next but one
constexpr double kOnPath = 1e-7;      // correction after which a point is on the path
constexpr int kMaxCorrections = 10, kEasyCorrections = 4;
constexpr double kLargestBend = 0.5;  // cosine between directions from one point to the next
constexpr int kMaxPoints = 1000;
constexpr double kAtFullLoad = 1e-3;  // distance from which Newton's method at full load ends it
constexpr int kMaxLocations = 40;

}  // namespace

LoadPath::LoadPath(StaticBalance& balance, const State& start)
    : balance_(balance), length_(kFirstLength) {
  point_.state = start;
}

// Σ motions as at `at`, and the share.
double LoadPath::product(const Point& at, const Eigen::VectorXd& motion, double share) const {
  return at.weight * balance_.dot(at.direction, motion) + at.shareDirection * share;
}

// (10.9)
bool LoadPath::findDirection(Point& point, const Point* before) {
  balance_.setShare(point.share);
  const Eigen::VectorXd loads = balance_.calcLoads(point.state);
  balance_.calcResidual(point.state);
  balance_.calcMatrix(point.state);
  if (!balance_.factorize()) return false;
  point.direction = balance_.solve(-loads);
  point.shareDirection = 1.0;
  const double size = balance_.sizeOf(point.direction);
  if (!std::isfinite(size)) return false;
  const double square = balance_.dot(point.direction, point.direction);
  point.weight = square > 0.0 ? size * size / square : 1.0;
  double scale = 1.0 / std::max(size, 1.0);
  if (before != nullptr) {
    const double ahead = before->weight * balance_.dot(before->direction, point.direction) +
                         before->shareDirection * point.shareDirection;
    if (ahead < 0.0) scale = -scale;
  }
  point.direction *= scale;
  point.shareDirection *= scale;
  return true;
}

// Newton's method for H = 0 on the plane through the predicted point, (10.10).
bool LoadPath::correct(const Point& from, double length, Point& next, int& corrections) {
  next.state = balance_.moved(from.state, length * from.direction);
  next.share = from.share + length * from.shareDirection;
  double previous = length, beforePrevious = length;
  for (corrections = 0; corrections < kMaxCorrections; ++corrections) {
    balance_.setShare(next.share);
    const Eigen::VectorXd loads = balance_.calcLoads(next.state);
    if (!balance_.calcResidual(next.state).allFinite()) return false;
    balance_.calcMatrix(next.state);
    if (!balance_.factorize()) return false;
    const Eigen::VectorXd toBalance = balance_.solve(-balance_.residual());
    const Eigen::VectorXd byLoads = balance_.solve(-loads);
    const double share = -product(from, toBalance, 0.0) / product(from, byLoads, 1.0);
    const Eigen::VectorXd delta = toBalance + share * byLoads;
    const double size = std::max(balance_.sizeOf(delta), std::abs(share));
    if (!std::isfinite(size)) return false;
    next.state = balance_.moved(next.state, delta);
    next.share += share;
    if (size <= kOnPath * length || size <= kSmallestLength * kOnPath) return true;
    if (size > kContraction * beforePrevious) return false;
    beforePrevious = previous;
    previous = size;
  }
  return false;
}

// With screw motions of the nodes or with straight ones, beginning with what worked last.
bool LoadPath::tryStep(const Point& from, double length, Point& next, int& corrections) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (correct(from, length, next, corrections)) return true;
    balance_.setStraight(!balance_.isStraight());
  }
  return false;
}

// One step. A step that bends too much is taken anew: there might be a turn of the path between its ends, or the
// end might be on another path.
bool LoadPath::advance(Point& next) {
  for (; length_ >= kSmallestLength; length_ *= kCut) {
    int corrections = 0;
    if (!tryStep(point_, length_, next, corrections)) continue;
    if (!findDirection(next, &point_)) continue;
    const double forward = product(point_, next.direction, next.shareDirection);
    const double here = product(point_, point_.direction, point_.shareDirection);
    const double there = product(next, next.direction, next.shareDirection);
    if (forward < kLargestBend * std::sqrt(here * there)) continue;
    done_ = length_;
    balance_.noteMove(next.state);
    if (corrections <= kEasyCorrections) length_ = std::min(kGrowth * length_, kLargestLength);
    return true;
  }
  return false;
}

// Where λ, a cubic along the step, has its extremum; nothing if it has none.
std::optional<LoadPath::Limit> LoadPath::findLimit(const Point& from, const Point& to) const {
  if (from.shareDirection * to.shareDirection >= 0.0) return std::nullopt;
  const double rise = to.share - from.share;
  const double a = from.shareDirection * done_, b = to.shareDirection * done_;
  const double third = a + b - 2.0 * rise, second = 3.0 * rise - 2.0 * a - b;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double t = 0.5 * (low + high);
    const double slope = (3.0 * third * t + 2.0 * second) * t + a;
    (slope * a > 0.0 ? low : high) = t;
  }
  return Limit{low, from.share + ((third * low + second) * low + a) * low};
}

// A step over a limit point from one side of the full load back to the same side may pass it twice. It ends at the
// limit point instead.
void LoadPath::shorten(const Point& from, Point& next) {
  const std::optional<Limit> limit = findLimit(from, next);
  const bool isAbove = from.share >= 1.0;
  if (!limit || (next.share >= 1.0) != isAbove || (limit->share >= 1.0) == isAbove) return;
  Point middle;
  int corrections = 0;
  const double length = limit->place * done_;
  if (!tryStep(from, length, middle, corrections) || !findDirection(middle, &from)) return;
  next = middle;
  done_ = length;
}

// The point with full load between two points of the path.
bool LoadPath::locate(const Point& from, double length, const Point& to, State& found) {
  double low = 0.0, high = length;
  double below = from.share - 1.0, above = to.share - 1.0;
  for (int k = 0; k < kMaxLocations; ++k) {
    // False position, every third time halves.
    const double share = k % 3 == 2 || above == below ? 0.5 : below / (below - above);
    const double middle = low + std::clamp(share, 0.0, 1.0) * (high - low);
    Point point;
    int corrections = 0;
    if (!tryStep(from, middle, point, corrections)) return false;
    const double off = point.share - 1.0;
    if (std::abs(off) <= kAtFullLoad || high - low <= kSmallestLength * length) {
      found = point.state;
      return true;
    }
    ((off < 0.0) == (below < 0.0) ? low : high) = middle;
    ((off < 0.0) == (below < 0.0) ? below : above) = off;
  }
  return false;
}

bool LoadPath::findNext(State& found) {
  if (!hasDirection_) {
    hasDirection_ = findDirection(point_, nullptr);
    if (!hasDirection_) return false;
  }
  while (points_ < kMaxPoints) {
    Point next;
    if (!advance(next)) return false;
    ++points_;
    shorten(point_, next);
    const Point from = std::exchange(point_, next);
    if (const auto limit = findLimit(from, next)) limits_.push_back(limit->share);
    const bool passes = (from.share < 1.0) != (next.share < 1.0);
    if (passes && locate(from, done_, next, found)) {
      balance_.setShare(1.0);
      return true;
    }
  }
  return false;
}

}  // namespace flexloop::solve
