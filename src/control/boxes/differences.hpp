// Time derivatives of what can only be called: black boxes (16.14).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "math/taylor.hpp"

namespace flexloop::control {

// A time in which none of the quantities, with their time derivatives, changes by more than a small
// share of itself or of 1. With five points the sixth root of round-off is best for second
// derivatives.
inline double timeStepAlong(std::span<const math::Taylor2> quantities) {
  constexpr double kShare = 2.5e-3;
  double time = 1.0;
  for (const math::Taylor2& q : quantities) {
    const double size = std::max(1.0, std::abs(q.value));
    time = std::min(time, size / std::max(std::abs(q.first), size));
    time = std::min(time, std::sqrt(size / std::max(std::abs(q.second), size)));
  }
  return kShare * time;
}

inline double valueAfter(const math::Taylor2& q, double time) {
  return q.value + time * (q.first + 0.5 * time * q.second);
}

// The results with two time derivatives, from evaluate(times, values): the values at five times around
// zero, one behind the other.
template <class Evaluate>
void calcAlongPath(double step, std::span<math::Taylor2> results, Evaluate evaluate) {
  const std::size_t n = results.size();
  const std::array<double, 5> times{-2 * step, -1 * step, 0 * step, 1 * step, 2 * step};
  std::vector<double> values(times.size() * n);
  const auto at = [&](int k) { return std::span(values).subspan((k + 2) * n, n); };
  evaluate(std::span<const double>(times), std::span(values));
  for (std::size_t i = 0; i < n; ++i) {
    const double odd1 = at(1)[i] - at(-1)[i], odd2 = at(2)[i] - at(-2)[i];
    const double even1 = at(1)[i] + at(-1)[i], even2 = at(2)[i] + at(-2)[i];
    results[i] = math::Taylor2(at(0)[i], (8.0 * odd1 - odd2) / (12.0 * step),
                               (16.0 * even1 - even2 - 30.0 * at(0)[i]) / (12.0 * step * step));
  }
}

}  // namespace flexloop::control
