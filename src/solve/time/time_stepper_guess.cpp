// The first guess of a step: accelerations, algebraic unknowns and the shift that closes positions, from the steps before
// it (docs/theory/09_time.md, sections 9.2 and 9.6).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Of the step before, or of the shorter of two that are alike.
constexpr double kLongestExtrapolation = 2.0;
// A third step is used where it leaves less than this of the error of a guess by two: it magnifies what rings.
constexpr double kMuchBetter = 0.1;
// In units of the tolerance, a shift that is worth a guess, which takes a solve to save an iteration; a smaller one where it is
// this many times as large as what is wrong in the guess of accelerations.
constexpr double kLargeClosing = 1e4, kFairClosing = 1e3, kFarLarger = 10.0;
// Of the shift of the last step: a guess beyond is none. Where constraints become dependent, gaps of an earlier pose ask for
// motions that are not there.
constexpr double kLargestGuess = 1.5;

// Differences over short steps between long ones are those of iterations rather than of the motion.
bool areAlike(double step, double other) {
  return std::max(step, other) <= kLongestExtrapolation * std::min(step, other);
}

}  // namespace

// Over steps that are not much longer than the one before: beyond, its small difference would be magnified.
bool TimeStepper::canExtrapolate() const {
  return memory_[0].isStep && step_.h <= kLongestExtrapolation * memory_[0].step;
}

// Accelerations go on as vectors, under which a body turns.
void TimeStepper::predict(const State& from, double end, bool extrapolates) {
  const double h = step_.h;
  const MotionScheme& m = scheme_.motion;
  const StateScheme& s = scheme_.state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  trial_.time = end;
  driveTime_ = std::numeric_limits<double>::quiet_NaN();
  startAcceleration_ = from.acceleration;
  axes_.addTurnOf(from.rate, startAcceleration_);
  axes_.toCentre(startAcceleration_);
  startRate_ = from.rate;
  axes_.toCentre(startRate_);
  startAlgorithmic_ = from.algorithmic;
  axes_.toCentre(startAlgorithmic_);
  expected_ = h * (startRate_ + 0.5 * h * startAlgorithmic_);
  guess(from, extrapolates);
  vectors_.acceleration = guess_;
  for (int u = 0; u < increment_.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      const double dv0 = startAcceleration_[u], dv = vectors_.acceleration[u];
      const double a0 = startAlgorithmic_[u];
      const double a1 = ((1.0 - m.alphaF) * dv + m.alphaF * dv0 - m.alphaM * a0) / (1.0 - m.alphaM);
      vectors_.algorithmic[u] = a1;
      const double stored = carry_.motion * (a0 - dv0);
      vectors_.rate[u] = startRate_[u] + h * ((1.0 - m.gamma) * a0 + m.gamma * a1 + stored);
      increment_[u] =
          h * startRate_[u] + h * h * ((0.5 - m.beta) * a0 + m.beta * a1 + 0.5 * stored);
    } else if (kinds[u] == Kind::kState) {
      const double w0 = from.algorithmic[u];
      const double w1 = (from.rate[u] - s.deltaM * w0) / (1.0 - s.deltaM);
      vectors_.algorithmic[u] = w1;
      vectors_.rate[u] = from.rate[u];
      const double stored = carry_.state * (w0 - from.rate[u]);
      increment_[u] = h * ((1.0 - s.theta) * w0 + s.theta * w1 + stored);
      vectors_.acceleration[u] = 0.0;
    } else {
      vectors_.rate[u] = vectors_.acceleration[u] = vectors_.algorithmic[u] = 0.0;
      increment_[u] = guess_[u];
    }
  }
  move(from);
}

// With the lengths h, h₋ and h₋₋ of this step and those before it, and the changes Δ over them (9.6),
//
//     x + (h/h₋) Δ₋   by two steps,   + h (h + h₋)/(h₋ + h₋₋) (Δ₋/h₋ − Δ₋₋/h₋₋)   by three.
void TimeStepper::guess(const State& from, bool extrapolates) {
  const Memory& last = memory_[0];
  extrapolates = extrapolates && canExtrapolate();
  // With index 3 what iterations leave open lasts: guesses that end them sooner are no gain.
  hasCurvature_ = extrapolates && hasMotions() && !isIndex3() && !last.hasJump &&
                  areAlike(last.step, last.stepBefore) && areAlike(step_.h, last.step);
  usesCurvature_ = hasCurvature_ && last.isCurved;
  const double share = extrapolates ? step_.h / last.step : 0.0;
  guess_ = startAcceleration_ + share * (startAcceleration_ - jump_ - last.acceleration);
  for (const int u : notMotions_) guess_[u] = share * (from.value[u] - jump_[u] - last.value[u]);
  if (hasCurvature_) calcCurvature(from);
  if (usesCurvature_) guess_ += curvature_;
  axes_.turnUnder(expected_, guess_);
  if (hasCurvature_) axes_.turnUnder(expected_, curvature_);
}

void TimeStepper::calcCurvature(const State& from) {
  const Memory& last = memory_[0];
  const double weight = step_.h * (step_.h + last.step) / (last.step + last.stepBefore);
  const double newer = weight / last.step, older = weight / last.stepBefore;
  curvature_ = newer * (startAcceleration_ - last.acceleration) -
               older * (last.acceleration - last.accelerationBefore);
  for (const int u : notMotions_) {
    curvature_[u] =
        newer * (from.value[u] - last.value[u]) - older * (last.value[u] - last.valueBefore[u]);
  }
}

// How far off the guess was, and whether a third step is worthwhile: the motion of a mechanism is smooth, what rings is not.
void TimeStepper::judgeGuess(const State& from, Memory& step) const {
  if (!hasCurvature_) return;
  double straight = 0.0, curved = 0.0;
  for (int u = 0; u < guess_.size(); ++u) {
    if (class_[u] == kState) continue;
    const double reached =
        class_[u] <= kRotation ? vectors_.acceleration[u] : trial_.value[u] - from.value[u];
    const double error = reached - guess_[u];
    const double ofTwo = usesCurvature_ ? error + curvature_[u] : error;
    const double ofThree = ofTwo - curvature_[u];
    straight += normWeight_[u] * ofTwo * ofTwo;
    curved += normWeight_[u] * ofThree * ofThree;
  }
  step.guessError = std::sqrt(usesCurvature_ ? curved : straight);
  step.isCurved = curved < kMuchBetter * kMuchBetter * straight;
}

// `last` is the step before this one, `step` what is to be known of this one.
void TimeStepper::rememberEarlier(const Memory& last, Memory& step) {
  const bool isSmooth = last.isStep && !last.hasJump;
  step.stepBefore = isSmooth ? last.step : 0.0;
  step.stepEarlier = isSmooth ? last.stepBefore : 0.0;
  step.accelerationBefore = last.acceleration;
  axes_.turnToEnd(step.accelerationBefore);
  axes_.turnUnder(increment_, step.accelerationBefore);
  step.valueBefore = last.value;
  step.gapBefore = last.gap;
  step.gapEarlier = last.gapBefore;
  step.slot = cache_.indexOf(*factors_);
  step.guessError = last.guessError;
  step.isCurved = last.isCurved;
  step.steady = step.slot == last.slot && factors_->steps > 1 ? last.steady + 1 : 1;
}

// What old tangents make of a gap belongs to them: steps with others are not compared.
void TimeStepper::guessGap() {
  const Memory& last = memory_[0];
  const bool isSame = factors_->steps > 0 && last.slot == cache_.indexOf(*factors_);
  const int steady = isSame ? last.steady : 0;
  const bool hasSlope = steady > 1 && last.stepBefore > 0.0 && !last.hasJump;
  const bool hasBend = hasSlope && steady > 2 && last.stepEarlier > 0.0 && usesCurvature_;
  // From the middle of a step to that of the next.
  const double ahead = 0.5 * (step_.h + last.step);
  const double back = 0.5 * (last.step + last.stepBefore);
  const double further = 0.5 * (last.stepBefore + last.stepEarlier);
  const double error = step_.h * calcErrorConstant(options_.scheme.motion.filterError());
  for (const int u : multipliers_) {
    double gap = last.gap[u];
    if (hasSlope) {
      const double slope = (gap - last.gapBefore[u]) / back;
      gap += ahead * slope;
      if (hasBend) {
        const double earlier = (last.gapBefore[u] - last.gapEarlier[u]) / further;
        gap += ahead * (ahead + back) / (back + further) * (slope - earlier);
      }
    }
    stepGap_[u] = error * gap;
  }
  rowAxes_.fromBody(stepGap_);
}

bool TimeStepper::isShiftExpected() const {
  if (!isIndex2() || !canExtrapolate()) return false;
  const Memory& last = memory_[0];
  if (last.closing >= kLargeClosing) return true;
  return last.closing >= kFairClosing && last.closing >= kFarLarger * last.guessError;
}

// Positions err by C h P v'' normal to the constraints (9.10), in this step about as much as in the last ones. Closed
// before the first iteration, it leaves nothing open in the velocities that later ones would have to close.
bool TimeStepper::expectShift(const State& from, StepReport& report) {
  if (isIndex2()) forgetShift();
  if (!isShiftExpected()) return true;
  if (!factors_->isValid) {
    calcTrialResidual();
    if (!residual_.allFinite()) return true;
    if (!factorize(trial_, report)) return false;
  }
  followAxes(trial_);
  guessGap();
  shift_.setZero();
  for (const int u : multipliers_) shift_[u] = weights_.row[u] * stepGap_[u];
  solveByFactors(shift_);
  finishShift(stepGap_);
  if (largestShift_ > kLargestGuess * memory_[0].closing) {
    forgetShift();
    return true;
  }
  axes_.toStart(shift_);
  delta_.setZero();
  add(from, delta_, shift_);
  return true;
}

void TimeStepper::forgetShift() {
  stepGap_.setZero();
  largestShift_ = 0.0;
  closing_ = std::numeric_limits<double>::infinity();
}

// From the solution of (9.17) to the shift.
void TimeStepper::finishShift(const Eigen::VectorXd& gap) {
  const double opening = calcOpening(gap);
  if (!areDrivesHeld(shift_, gap)) holdDrives(1.0, shift_);
  leaveDependent(shift_, 1.0);
  for (const int u : notMotions_) shift_[u] = 0.0;
  shift_ = shift_.cwiseProduct(weights_.value);
  const double size = calcShiftNorm();
  largestShift_ = std::max(largestShift_, size);
  if (opening > 0.0) closing_ = size / opening;
}

// Soft constraints do not close what depends on others. Remembered, round-off there would add up from step to step.
void TimeStepper::leaveDependent(const Eigen::VectorXd& solution, double sign) {
  const double loan = cache_.isBorrowed() ? cache_.motionScale() : 1.0;
  for (int i = 0; i < soft_.size(); ++i) {
    const int u = soft_.row(i);
    stepGap_[u] += sign * loan * factors_->softness[i] * solution[u] / weights_.row[u];
  }
}

// Corrections by old tangents that are followed by larger ones have led away from the motion, and where constraints are
// nearly dependent so far that what closes them afterwards changes the energy of the machine.
void TimeStepper::beginAgain(const State& from) {
  predict(from, trial_.time);
  forgetShift();
}

}  // namespace flexloop::solve
