// What the last step errs, which adaptive steps follow (docs/theory/09_time.md, section 9.6).
#include <algorithm>
#include <cmath>

#include "solve/time_stepper.hpp"

namespace flexloop::solve {

using system::State;

// (9.15)
double TimeStepper::calcMotionError(const State& from, const MotionScheme& scheme, double h) const {
  double largest = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] > kRotation) continue;
    largest = std::max(largest, std::abs(trial_.algorithmic[u] - from.algorithmic[u]));
  }
  return std::abs(scheme.beta - 1.0 / 6.0) * h * h * largest;
}

// (9.16) with (9.17)
double TimeStepper::calcStateError(const State& from, const StateScheme& scheme, double h) const {
  const double before = memory_[0].distance;
  double largest = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] != kState) continue;
    const double now = (trial_.rate[u] - from.rate[u]) / h;
    const double then = (from.rate[u] - jump_[u] - memory_[0].acceleration[u]) / before;
    const double size = std::max(largest_[u], std::abs(trial_.value[u]));
    largest = std::max(largest, 2.0 * std::abs(now - then) / ((h + before) * size));
  }
  return std::abs(scheme.errorCoefficient()) * h * h * h * largest;
}

}  // namespace flexloop::solve
