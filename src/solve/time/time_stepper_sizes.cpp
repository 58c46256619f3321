// How large the last step was beside what it errs, and how far joints are open: what tells how much of a run is to be
// believed (docs/theory/27_trust.md).
#include <cmath>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

void TimeStepper::measureStep(std::vector<StepSizes>& parts) const {
  parts.assign(partSizes_.count(), {});
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] > kRotation) continue;
    StepSizes& part = parts[partSizes_.part(u)];
    const double unit = class_[u] == kRotation ? partSizes_.of(u).length : 1.0;
    const double rate = unit * vectors_.rate[u], a = unit * vectors_.algorithmic[u];
    const double change = a - unit * startAlgorithmic_[u];
    part.path += rate * rate;
    part.acceleration += a * a;
    part.change += change * change;
  }
  const double error = calcErrorConstant(options_.scheme.motion.filterError());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    StepSizes& part = parts[p];
    part.path = step_.h * std::sqrt(part.path);
    part.acceleration = std::sqrt(part.acceleration);
    part.change = std::sqrt(part.change);
    part.error = error * part.change;
    part.length = partSizes_.all()[p].length;
  }
}

void TimeStepper::calcPassage(const system::State& end, Passage& passage) const {
  const double lag = 0.5 - options_.scheme.motion.alphaF;
  const double before = lag * step_.nominal0, after = lag * step_.nominal1;
  passage.startRate = startAlgorithmic_ - startAcceleration_;
  axes_.fromCentre(passage.startRate);
  passage.startAcceleration = startAcceleration_;
  axes_.fromCentre(passage.startAcceleration);
  axes_.removeTurnOf(trial_.rate, passage.startAcceleration);
  passage.endRate = end.acceleration;
  axes_.addTurnOf(end.rate, passage.endRate);
  passage.endRate = end.algorithmic - passage.endRate;
  for (int u = 0; u < end.rate.size(); ++u) {
    const bool isMotion = class_[u] <= kRotation;
    passage.startRate[u] = trial_.rate[u] + (isMotion ? before * passage.startRate[u] : 0.0);
    passage.endRate[u] = end.rate[u] + (isMotion ? after * passage.endRate[u] : 0.0);
    if (!isMotion) passage.startAcceleration[u] = trial_.acceleration[u];
  }
}

TimeStepper::Opening TimeStepper::findLargestOpening(const system::State& state) {
  Opening opening;
  if (all_.isEmpty()) return opening;
  assembler_.calcResidual(state, positionGap_);
  opening.constraint = findOpen(0.0);
  if (opening.constraint >= 0) opening.share = calcOpenShare(opening.constraint);
  return opening;
}

}  // namespace flexloop::solve
