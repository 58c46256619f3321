// What the last step errs, which adaptive steps follow (docs/theory/09_time.md, section 9.7).
#include <algorithm>
#include <cmath>

#include "solve/time_stepper.hpp"

namespace flexloop::solve {

using system::State;

// (9.17): the error of the position, and as much again for that of the velocity.
double TimeStepper::calcMotionError(const State& from) const {
  double largest = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] > kRotation) continue;
    largest = std::max(largest, std::abs(vectors_.algorithmic[u] - from.algorithmic[u]));
  }
  return 2.0 * calcErrorConstant(options_.scheme.motion.filterError()) * largest;
}

// (9.18) with (9.19)
double TimeStepper::calcStateError(const State& from) const {
  const double h = step_.h, before = memory_[0].step;
  double largest = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] != kState) continue;
    const double now = (trial_.rate[u] - from.rate[u]) / h;
    const double then = (from.rate[u] - jump_[u] - memory_[0].acceleration[u]) / before;
    const double size = std::max({1.0, seen_[u], std::abs(trial_.value[u])});
    largest = std::max(largest, 2.0 * std::abs(now - then) / ((h + before) * size));
  }
  return calcErrorConstant(options_.scheme.state.filterError()) * h * largest;
}

OpenAccelerations TimeStepper::openAccelerations() const {
  const double noise = calcNoise();
  return {options_.tolerance * scale_[kTranslation] + noise,
          options_.tolerance * scale_[kRotation] + noise / length_};
}

}  // namespace flexloop::solve
