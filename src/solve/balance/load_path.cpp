#include "solve/balance/load_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flexloop::solve {

using system::State;

namespace {

// Lengths are the larger of the share of the loads and of the move, in units of what the stiffness at the start makes
// of all loads, or of the largest turn [rad] or move relative to the machine, if that is less.
constexpr double kFirstLength = 0.05, kSmallestLength = 1e-7;
constexpr double kLargestMove = 0.5, kLargestShare = 0.5;
constexpr double kSmallMove =
    1e-3;  // of a length: corrections may be as large where nothing else moves
constexpr double kGrowth = 2.0, kCut = 0.35;
constexpr double kContraction = 0.5;    // of corrections, from one to the next but one
constexpr double kOnPath = 1e-7;        // correction after which a point is on the path
constexpr double kCrossing = 1e-6;      // step within which paths that seem to cross do
constexpr double kNearCrossing = 1e-3;  // the same where no shorter step can be made
constexpr double kStalled = 0.01,
                 kRounded = 1e-8;  // corrections of rounding, of the step and in all
constexpr int kMaxCorrections = 10, kEasyCorrections = 4;
constexpr double kLargestBend = 0.5;  // cosine between directions from one point to the next
constexpr double kStraight = 0.999;   // the same over a step as short as those across other paths
constexpr double kRoundOff = 1e-13;
constexpr int kMaxPoints = 1000;
constexpr double kAtFullLoad = 1e-3;  // distance from which Newton's method at full load ends it
constexpr double kAtLimit = 1e-9;     // relative error of the share at a limit point
constexpr int kMaxLocations = 40;

double unitOf(double moveUnderAllLoads) {
  return moveUnderAllLoads > 0.0 ? std::min(moveUnderAllLoads, 1.0) : 1.0;
}

}  // namespace

LoadPath::LoadPath(StaticBalance& balance, const State& start, double share)
    : balance_(balance), length_(kFirstLength) {
  point_.state = start;
  point_.share = share;
}

double LoadPath::moveOf(const Eigen::VectorXd& delta) const {
  return balance_.sizeOf(delta) / unit_;
}

bool LoadPath::isRoundOff(const Eigen::VectorXd& delta, double share) const {
  return balance_.sizeOf(delta) <= kRoundOff && std::abs(share) <= kRoundOff;
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
  if (balance_.factorize()) return false;
  point.direction = balance_.solve(-loads);
  point.shareDirection = 1.0;
  if (!std::isfinite(balance_.sizeOf(point.direction))) return false;
  point.signs = findSigns(balance_);
  if (before == nullptr) unit_ = unitOf(balance_.sizeOf(point.direction));
  const double size = moveOf(point.direction);
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
  const double predicted = length * std::max(moveOf(from.direction), kSmallMove);
  double previous = 1.0, beforePrevious = 1.0;
  for (corrections = 0; corrections < kMaxCorrections; ++corrections) {
    balance_.setShare(next.share);
    const Eigen::VectorXd loads = balance_.calcLoads(next.state);
    if (!balance_.calcResidual(next.state).allFinite()) return false;
    balance_.calcMatrix(next.state);
    if (balance_.factorize()) return false;
    const Eigen::VectorXd toBalance = balance_.solveNewton(balance_.residual());
    const Eigen::VectorXd byLoads = balance_.solve(-loads);
    const double share = -product(from, toBalance, 0.0) / product(from, byLoads, 1.0);
    const Eigen::VectorXd delta = toBalance + share * byLoads;
    const double size = std::max(moveOf(delta) / predicted, std::abs(share) / length);
    if (!std::isfinite(size)) return false;
    next.state = balance_.moved(next.state, delta);
    next.share += share;
    if (size <= kOnPath || isRoundOff(delta, share)) return true;
    // Where another path crosses, the stiffness is as good as singular and magnifies rounding.
    const bool isStalled = corrections > 0 && size > kContraction * previous;
    if (isStalled && size <= kStalled && balance_.sizeOf(delta) <= kRounded) return true;
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

// On a path, signs change where it turns back, by one, and where others cross it. If they change otherwise, the end of a
// step is on another path: as near as an imperfection is small to where perfect machines have a crossing.
bool LoadPath::mayHaveLeft(const Point& next) const {
  if (!point_.signs || !next.signs || point_.signs->isCount != next.signs->isCount) return false;
  const int change = std::abs(next.signs->negative - point_.signs->negative);
  const bool turns = point_.shareDirection * next.shareDirection < 0.0;
  return change != (turns ? 1 : 0);
}

// One step. A step that bends too much is taken anew: there might be a turn of the path between its ends, or the
// end might be on another path. If even the shortest step changes signs, another path does cross; likewise if steps that are
// still shorter cannot be made because the stiffness there is singular. The way across is straight: an end from which another direction leads
// on is on the path that crosses.
bool LoadPath::advance(Point& next) {
  for (; length_ >= kSmallestLength; length_ *= kCut) {
    int corrections = 0;
    if (!tryStep(point_, length_, next, corrections)) continue;
    if (!findDirection(next, &point_)) continue;
    const double forward = product(point_, next.direction, next.shareDirection);
    const double here = product(point_, point_.direction, point_.shareDirection);
    const double there = product(next, next.direction, next.shareDirection);
    const double size = std::sqrt(here * there);
    if (forward < kLargestBend * size) continue;
    const bool isStraight = forward >= kStraight * size;
    if (mayHaveLeft(next) && (length_ > kCrossing || !isStraight)) {
      if (isStraight) {
        across_ = next;
        arcAcross_ = arc_ + length_;
      }
      continue;
    }
    accept(next, corrections <= kEasyCorrections);
    return true;
  }
  if (!across_ || !(arcAcross_ > arc_) || arcAcross_ - arc_ > kNearCrossing) return false;
  next = *across_;
  length_ = arcAcross_ - arc_;
  accept(next, true);
  return true;
}

void LoadPath::accept(const Point& next, bool isEasy) {
  done_ = length_;
  arc_ += length_;
  balance_.noteMove(next.state);
  if (isEasy) length_ *= kGrowth;
  length_ = std::min({length_, kLargestMove / balance_.sizeOf(next.direction),
                      kLargestShare / std::abs(next.shareDirection)});
}

// The point between two others at which λ is extreme. The direction there is across: λ̇ = 0.
bool LoadPath::findLimit(const Point& from, double& length, Point& limit) {
  double low = 0.0, high = length;
  double before = from.shareDirection, after = limit.shareDirection;
  for (int k = 0; k < kMaxLocations; ++k) {
    // False position, every third time halves.
    const double part = k % 3 == 2 ? 0.5 : before / (before - after);
    const double middle = low + part * (high - low);
    Point point;
    int corrections = 0;
    if (!tryStep(from, middle, point, corrections) || !findDirection(point, &from)) return false;
    const bool isBefore = (point.shareDirection > 0.0) == (from.shareDirection > 0.0);
    (isBefore ? low : high) = middle;
    (isBefore ? before : after) = point.shareDirection;
    limit = point;
    length = middle;
    if (std::abs(point.shareDirection) * (high - low) <= kAtLimit * std::abs(point.share)) break;
  }
  return true;
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

// A step over a limit point ends there, so that the full load is not passed twice in one step.
bool LoadPath::stopAtLimit(Point& next) {
  if (point_.shareDirection * next.shareDirection >= 0.0) return false;
  Point limit = next;
  double length = done_;
  if (findLimit(point_, length, limit)) {
    limit.signs = next.signs;  // those at the limit point itself are of rounding
    next = limit;
    done_ = length;
    // On the other side of the extremum, so that it is not met again.
    next.shareDirection = std::copysign(next.shareDirection, -point_.shareDirection);
  }
  return true;
}

bool LoadPath::findNext(State& found) {
  if (!hasDirection_) {
    hasDirection_ = findDirection(point_, nullptr);
    if (!hasDirection_) return false;
  }
  while (points_ < kMaxPoints) {
    // What a step to a limit point passes comes before it.
    if (isAtLimit_) limits_.push_back(point_.share);
    Point next;
    if (!advance(next)) return false;
    ++points_;
    isAtLimit_ = stopAtLimit(next);
    const Point from = std::exchange(point_, next);
    const bool passes = (from.share < 1.0) != (next.share < 1.0);
    if (passes && locate(from, done_, next, found)) {
      balance_.setShare(1.0);
      return true;
    }
  }
  return false;
}

}  // namespace flexloop::solve
