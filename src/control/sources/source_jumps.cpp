#include "control/sources/source_jumps.hpp"

#include <algorithm>
#include <cmath>

#include "control/sources/time_functions.hpp"

namespace flexloop::control {
namespace {

constexpr int kMostInstants = 1000;  // of a clock, that are looked at
constexpr int kIntervals = 1000;     // of a formula
constexpr double kShortly = 1e-9;    // relative to the time or the period
constexpr double kRoundOff = 1e-12;

// Whether the function changes between two times that are close together by more than slopes explain.
bool isJump(const TimeFunction& function, double left, double right) {
  const math::Taylor2 a = function.at(left), b = function.at(right);
  const double slopes = 2.0 * (right - left) * (std::abs(a.first) + std::abs(b.first));
  return std::abs(b.value - a.value) > slopes + kRoundOff * (std::abs(a.value) + std::abs(b.value));
}

// A jump shrinks with no interval; of two halves it is in the one that its slopes explain less.
std::optional<double> bisect(const TimeFunction& function, double left, double right) {
  const auto calcUnexplained = [&](double from, double to) {
    const math::Taylor2 a = function.at(from), b = function.at(to);
    return std::abs(b.value - a.value - 0.5 * (to - from) * (a.first + b.first));
  };
  for (double middle = 0.5 * (left + right); left < middle && middle < right;
       middle = 0.5 * (left + right)) {
    if (!isJump(function, left, right)) return std::nullopt;
    const bool isLeft = calcUnexplained(left, middle) > calcUnexplained(middle, right);
    (isLeft ? right : left) = middle;
  }
  if (!isJump(function, left, right)) return std::nullopt;
  return right;
}

std::optional<double> searchFormula(const TimeFunction& function, double from, double to) {
  const auto time = [&](int k) { return from + (to - from) * k / kIntervals; };
  for (int k = 0; k < kIntervals; ++k) {
    if (const auto jump = bisect(function, time(k), time(k + 1))) return jump;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> findJump(const TimeFunction& function, double from, double to) {
  const auto jumpsAt = [&](double time, double scale) {
    return time > from && time < to &&
           isJump(function, time - kShortly * scale, time + kShortly * scale);
  };
  for (const double time : function.breaks()) {
    if (jumpsAt(time, std::abs(time))) return time;
  }
  for (const system::Clock& clock : function.periodicBreaks()) {
    const std::int64_t first = std::max<std::int64_t>(clock.lastInstant(from), 0);
    for (std::int64_t k = first; k < first + kMostInstants && clock.instant(k) < to; ++k) {
      if (jumpsAt(clock.instant(k), clock.period)) return clock.instant(k);
    }
  }
  if (dynamic_cast<const Formula*>(&function) == nullptr) return std::nullopt;
  return searchFormula(function, from, to);
}

}  // namespace flexloop::control
