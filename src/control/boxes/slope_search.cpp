#include "control/boxes/slope_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::control {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kShare = -10;  // power of two: the longest step, as a share of the size
constexpr int kRung = 10;    // the same: from one step to the next
constexpr int kMostShorter = 100, kMostLonger = 6;
// While nothing is seen of an argument, it is changed by no more than 2¹⁰ of its size: a box may do anything where it has
// never been.
constexpr int kFarthestUnseen = 10;
// Slopes that differ by less agree. Round-off of the results is some units in their last place.
constexpr double kAgreement = 1e-9, kUlps = 8.0;
// Where large numbers cancel inside of a box, its round-off is not that of its results: slopes agree by less.
constexpr double kNearlyAgree = 1e-5;
// A slope of which round-off is a larger share is not seen.
constexpr double kLost = 0.25;
// What a longer step may find on one side more than on the other.
constexpr double kOneSided = 1e-2;

double sizeOf(double at) {
  return std::exp2(std::ceil(std::log2(std::max(1.0, std::abs(at)))));
}

}  // namespace

bool SlopeSearch::agree(const Quotient& a, const Quotient& b, std::size_t i) {
  const double size = std::max(std::abs(a.slopes[i]), std::abs(b.slopes[i]));
  return std::abs(a.slopes[i] - b.slopes[i]) <= kAgreement * size + a.noise[i] + b.noise[i];
}

bool SlopeSearch::isClear(const Quotient& q, std::size_t i) {
  return q.noise[i] <= kAgreement * std::abs(q.slopes[i]);
}

bool SlopeSearch::isSeen(const Quotient& q, std::size_t i) {
  return q.noise[i] < kLost * std::abs(q.slopes[i]);
}

bool SlopeSearch::isAllClear(const Quotient& q) {
  for (std::size_t i = 0; i < q.slopes.size(); ++i) {
    if (q.ends[i] > 0.0 && !isClear(q, i)) return false;
  }
  return true;
}

bool SlopeSearch::isAnySeen(const Quotient& q) {
  for (std::size_t i = 0; i < q.slopes.size(); ++i) {
    if (isSeen(q, i)) return true;
  }
  return false;
}

// With what nearly every search needs.
SlopeSearch::SlopeSearch(double at, std::size_t results) : at_(at), results_(results) {
  const double step = std::ldexp(sizeOf(at), kShare), shorter = std::ldexp(step, -kRung);
  wanted_ = {at + step, at - step};
  if (isStep(shorter)) wanted_.insert(wanted_.end(), {at + shorter, at - shorter});
}

void SlopeSearch::know(double argument, std::span<const double> results) {
  arguments_.push_back(argument);
  known_.insert(known_.end(), results.begin(), results.end());
}

void SlopeSearch::give(std::span<const double> results) {
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    know(wanted_[k], results.subspan(k * results_, results_));
  }
  wanted_.clear();
  search();
}

// False, and wanted, where they are not all known.
bool SlopeSearch::hasAll(std::initializer_list<double> arguments) {
  for (const double argument : arguments) {
    const bool isKnown =
        std::find(arguments_.begin(), arguments_.end(), argument) != arguments_.end();
    if (!isKnown) wanted_.push_back(argument);
  }
  return wanted_.empty();
}

std::span<const double> SlopeSearch::resultsAt(double argument) const {
  const auto place = std::find(arguments_.begin(), arguments_.end(), argument);
  return std::span(known_).subspan((place - arguments_.begin()) * results_, results_);
}

bool SlopeSearch::isStep(double step) const {
  return at_ + step != at_ && step >= std::numeric_limits<double>::min();
}

void SlopeSearch::search() {
  found_ = {};
  found_.size = sizeOf(at_);
  Quotient first;
  if (!calc(std::ldexp(found_.size, kShare), first)) return;
  found_.values = first.slopes;
  if (!settleByShorter(first)) return;
  if (found_.size == sizeOf(at_)) settleByLonger(first);
}

bool SlopeSearch::calc(double step, Quotient& quotient) {
  const double above = at_ + step, below = at_ - step;
  if (!hasAll({above, below})) return false;
  const std::span<const double> up = resultsAt(above), down = resultsAt(below);
  quotient = {step, {}, {}, {}};
  for (std::size_t i = 0; i < results_; ++i) {
    quotient.slopes.push_back((up[i] - down[i]) / (above - below));
    quotient.ends.push_back(std::max(std::abs(up[i]), std::abs(down[i])));
    quotient.noise.push_back(kUlps * kEpsilon * quotient.ends[i] / (above - below));
  }
  return true;
}

bool SlopeSearch::settleByShorter(const Quotient& first) {
  std::vector<bool> isSettled(first.slopes.size(), false);
  std::vector<double> leastChange(first.slopes.size(), INFINITY);
  std::size_t open = first.slopes.size();
  Quotient last = first;
  for (int rung = 1; rung <= kMostShorter && open > 0; ++rung) {
    const double step = std::ldexp(last.step, -kRung);
    if (!isStep(step)) break;
    Quotient next;
    if (!calc(step, next)) return false;
    bool isOfUse = false;
    for (std::size_t i = 0; i < isSettled.size(); ++i) {
      if (isSettled[i]) continue;
      // A result that no longer changes after it was seen to is lost in what cancels inside of the box.
      const bool isLost = next.slopes[i] == 0.0 && std::isfinite(leastChange[i]);
      // Results that the step itself has made large drown what a shorter one shows.
      const bool isBest = isClear(last, i) || last.noise[i] <= next.noise[i];
      if (isLost || !isBest || !agree(last, next, i)) {
        // The pair that agrees best, until one agrees.
        const double change = std::abs(last.slopes[i] - next.slopes[i]);
        if (!isLost && isSeen(last, i) && isSeen(next, i) && change < leastChange[i]) {
          leastChange[i] = change;
          found_.values[i] = next.slopes[i];
        }
        isOfUse = isOfUse || (!isLost && (isSeen(next, i) || next.noise[i] < last.noise[i] ||
                                          !std::isfinite(next.slopes[i])));
        continue;
      }
      isSettled[i] = true;
      --open;
      found_.values[i] = last.slopes[i];
      found_.size = std::min(found_.size, std::ldexp(last.step, -kShare));
    }
    last = std::move(next);
    if (!isOfUse) break;
  }
  // What cancels leaves some digits, by which slopes of several steps agree.
  for (std::size_t i = 0; i < isSettled.size(); ++i) {
    if (!isSettled[i] && leastChange[i] <= kNearlyAgree * std::abs(found_.values[i])) --open;
  }
  found_.areSure = open == 0;
  return true;
}

// Where results are large beside what the step makes of them, as a longer one shows, as far as all agree.
void SlopeSearch::settleByLonger(const Quotient& first) {
  const double farthest = std::ldexp(first.step, kFarthestUnseen - kShare);
  if (!hasAll({at_})) return;
  Quotient last = first;
  for (int rung = 1; rung <= kMostLonger && !isAllClear(last); ++rung) {
    const double step = std::ldexp(last.step, kRung);
    if (step > farthest && !isAnySeen(last)) return;
    Quotient next;
    if (!calc(step, next) || isOneSided(next)) return;
    for (std::size_t i = 0; i < next.slopes.size(); ++i) {
      if (!std::isfinite(next.slopes[i]) || !agree(last, next, i)) return;
    }
    for (std::size_t i = 0; i < next.slopes.size(); ++i) {
      if (next.noise[i] < last.noise[i] && isSeen(next, i)) found_.values[i] = next.slopes[i];
    }
    last = std::move(next);
    if (isAnySeen(last)) found_.size = std::ldexp(last.step, -kShare);
  }
}

// A limit is no slope.
bool SlopeSearch::isOneSided(const Quotient& q) const {
  const std::span<const double> above = resultsAt(at_ + q.step), below = resultsAt(at_ - q.step);
  const std::span<const double> middle = resultsAt(at_);
  for (std::size_t i = 0; i < results_; ++i) {
    const double up = above[i] - middle[i], down = middle[i] - below[i];
    const double allowed = kOneSided * std::max(std::abs(up), std::abs(down));
    if (!(std::abs(up - down) <= allowed + 4.0 * q.step * q.noise[i])) return true;
  }
  return false;
}

Slopes calcSlopes(double at, std::size_t results, const Response& respond) {
  SlopeSearch search(at, results);
  std::vector<double> given;
  while (!search.wanted().empty()) {
    const std::span<const double> wanted = search.wanted();
    given.resize(wanted.size() * results);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      respond(wanted[k], std::span(given).subspan(k * results, results));
    }
    search.give(given);
  }
  // What is not a number at another argument is no fault of the box.
  given.resize(results);
  respond(at, given);
  return search.slopes();
}

}  // namespace flexloop::control
