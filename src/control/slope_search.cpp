#include "control/slope_search.hpp"

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
// A slope of which round-off is a larger share is not seen.
constexpr double kLost = 0.25;
// What a longer step may find on one side more than on the other.
constexpr double kOneSided = 1e-2;

struct Quotient {
  double step = 0.0;
  std::vector<double> slopes, noise;
  std::vector<double> ends;  // the results themselves, the larger of both
};

bool agree(const Quotient& a, const Quotient& b, std::size_t i) {
  const double size = std::max(std::abs(a.slopes[i]), std::abs(b.slopes[i]));
  return std::abs(a.slopes[i] - b.slopes[i]) <= kAgreement * size + a.noise[i] + b.noise[i];
}

bool isClear(const Quotient& q, std::size_t i) {
  return q.noise[i] <= kAgreement * std::abs(q.slopes[i]);
}

bool isSeen(const Quotient& q, std::size_t i) {
  return q.noise[i] < kLost * std::abs(q.slopes[i]);
}

double sizeOf(double at) {
  return std::exp2(std::ceil(std::log2(std::max(1.0, std::abs(at)))));
}

class Search {
 public:
  Search(double at, std::size_t results, const Responses& respond)
      : at_(at), respond_(respond), results_(results), ends_(2 * results), middle_(results) {}
  void begin(const FirstResponses& first) {
    middle_.assign(first.middle.begin(), first.middle.end());
    hasMiddle_ = true;
    first_ = first.responses;
  }

  Slopes find() {
    const double size = sizeOf(at_);
    const Quotient first = calc(std::ldexp(size, kShare));
    found_.values = first.slopes;
    found_.size = size;
    settleByShorter(first);
    if (found_.size == size) settleByLonger(first);
    return found_;
  }

 private:
  Quotient calc(double step) {
    const std::array<double, 2> arguments{at_ + step, at_ - step};
    if (first_.empty()) {
      respond_(arguments, ends_);
    } else {
      std::copy_n(first_.begin(), ends_.size(), ends_.begin());
      first_ = first_.subspan(ends_.size());
    }
    const double width = arguments[0] - arguments[1];
    Quotient q{step, {}, {}, {}};
    for (std::size_t i = 0; i < results_; ++i) {
      const double above = ends_[i], below = ends_[results_ + i];
      q.slopes.push_back((above - below) / width);
      q.ends.push_back(std::max(std::abs(above), std::abs(below)));
      q.noise.push_back(kUlps * kEpsilon * q.ends[i] / width);
    }
    return q;
  }

  void settleByShorter(const Quotient& first) {
    std::vector<bool> isSettled(first.slopes.size(), false);
    std::size_t open = first.slopes.size();
    Quotient last = first;
    for (int rung = 1; rung <= kMostShorter && open > 0; ++rung) {
      const double step = std::ldexp(last.step, -kRung);
      if (at_ + step == at_ || step < std::numeric_limits<double>::min()) break;
      Quotient next = calc(step);
      bool isOfUse = false;
      for (std::size_t i = 0; i < isSettled.size(); ++i) {
        if (isSettled[i]) continue;
        // Results that the step itself has made large drown what a shorter one shows.
        const bool isBest = isClear(last, i) || last.noise[i] <= next.noise[i];
        if (!isBest || !agree(last, next, i)) {
          isOfUse = isOfUse || isSeen(next, i) || next.noise[i] < last.noise[i] ||
                    !std::isfinite(next.slopes[i]);
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
    found_.areSure = open == 0;
  }

  // Where results are large beside what the step makes of them, as a longer one shows, as far as all agree.
  void settleByLonger(const Quotient& first) {
    const double farthest = std::ldexp(first.step, kFarthestUnseen - kShare);
    first_ = {};
    if (!hasMiddle_) respond_({&at_, 1}, middle_);
    Quotient last = first;
    for (int rung = 1; rung <= kMostLonger && !isAllClear(last); ++rung) {
      const double step = std::ldexp(last.step, kRung);
      if (step > farthest && !isAnySeen(last)) return;
      Quotient next = calc(step);
      if (isOneSided(next)) return;
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

  static bool isAllClear(const Quotient& q) {
    for (std::size_t i = 0; i < q.slopes.size(); ++i) {
      if (q.ends[i] > 0.0 && !isClear(q, i)) return false;
    }
    return true;
  }

  static bool isAnySeen(const Quotient& q) {
    for (std::size_t i = 0; i < q.slopes.size(); ++i) {
      if (isSeen(q, i)) return true;
    }
    return false;
  }

  // With the results of the last calls: a limit is no slope.
  bool isOneSided(const Quotient& q) const {
    for (std::size_t i = 0; i < results_; ++i) {
      const double up = ends_[i] - middle_[i], down = middle_[i] - ends_[results_ + i];
      const double allowed = kOneSided * std::max(std::abs(up), std::abs(down));
      if (!(std::abs(up - down) <= allowed + 4.0 * q.step * q.noise[i])) return true;
    }
    return false;
  }

  double at_;
  const Responses& respond_;
  std::size_t results_;
  std::vector<double> ends_;    // results of the last calls, above and below
  std::vector<double> middle_;  // results at at_
  bool hasMiddle_ = false;
  std::span<const double> first_;  // responses that are there already, in the order of their use
  Slopes found_;
};

}  // namespace

std::array<double, kFirstArguments> firstArguments(double at) {
  const double step = std::ldexp(sizeOf(at), kShare), shorter = std::ldexp(step, -kRung);
  return {at + step, at - step, at + shorter, at - shorter};
}

Slopes calcSlopes(double at, const FirstResponses& first, const Responses& respond) {
  Search search(at, first.middle.size(), respond);
  search.begin(first);
  return search.find();
}

Slopes calcSlopes(double at, std::size_t results, const Response& respond) {
  const Responses respondAll = [&](std::span<const double> arguments, std::span<double> all) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      respond(arguments[k], all.subspan(k * results, results));
    }
  };
  const Slopes slopes = Search(at, results, respondAll).find();
  // What is not a number at another argument is no fault of the box.
  std::vector<double> middle(results);
  respond(at, middle);
  return slopes;
}

}  // namespace flexloop::control
