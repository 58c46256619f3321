// How large corrections of a step are: by class, relative to what was seen so far, and against round-off
// (docs/theory/09_time.md, section 9.2).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solve/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Round-off floor of corrections, in units of the last place of the positions.
constexpr double kFloorUlps = 16.0;
// A gap of positions that is round-off, in units of their last place.
constexpr double kGapUlps = 8.0;
// An iteration that contracts slower than this has come to its end.
constexpr double kStagnation = 0.3;
constexpr double kTinyScale = 1e-9;
// Signals beside motions may be off by this multiple of the tolerance: what measures a turning node ages
// faster than the tangents of the machine, and follows its motions at once.
constexpr double kSignalTolerance = 10.0;
// Between a measured acceleration and any signal.
constexpr double kLargestNoiseGain = 1e3;

}  // namespace

// The shift that closes positions counts as the accelerations that would make it, unless it is their last digits:
// what it leaves open in the velocities is not mistaken for a poor convergence.
TimeStepper::Norm TimeStepper::calcNorm(const Eigen::VectorXd& delta) const {
  const auto closing = (shift_.array().abs() > lastDigit_.array())
                           .select(shift_.array() / weights_.value.array(), 0.0);
  const auto square = normWeight_.array() * delta.array().square().max(closing.square());
  double multipliers = 0.0;
  for (const int u : multipliers_) multipliers += normWeight_[u] * delta[u] * delta[u];
  double mechanical = 0.0, others = 0.0;
  if (classCount_[kState] + classCount_[kSignal] == 0) {
    mechanical = square.sum();
  } else {
    squares_ = square;
    for (int u = 0; u < delta.size(); ++u) {
      (class_[u] <= kMultiplier ? mechanical : others) += squares_[u];
    }
  }
  const double motions = std::max(mechanical - multipliers, 0.0);
  if (hasDependentPose_) mechanical = motions;
  return {std::sqrt(mechanical + others), std::sqrt(mechanical), std::sqrt(others),
          std::sqrt(motions), std::sqrt(motions + others)};
}

double TimeStepper::calcNoise() const {
  return kEpsilon * length_ / (step_.h * step_.h * scheme_.motion.beta);
}

bool TimeStepper::isNoisy(double h) const {
  if (!isIndex3()) return false;
  const StepLength step{h, memory_[0].nominal, memory_[0].nominal};
  const double weight = h * h * adaptToStep(options_.scheme.motion, step).beta;
  return kEpsilon * length_ / weight > options_.tolerance * scale_[kTranslation];
}

// Corrections of motions and multipliers can be round-off of the positions, magnified by 1/(βh²), and
// so can those of signals that measure them. Where velocities are constrained, only stiff parts magnify it: there
// the iteration goes on until it no longer improves.
bool TimeStepper::isRoundOff(const Norm& norm, double rate) const {
  if (!hasMotions() || (isIndex2() && rate < kStagnation)) return false;
  const double floor =
      kFloorUlps * calcNoise() / (options_.tolerance * std::max(scale_[kTranslation], kTinyScale));
  return norm.mechanical <= floor && norm.others <= std::max(1.0, norm.mechanical);
}

bool TimeStepper::isClosed(int u) const {
  if (u >= moves_.size()) return positionGap_[u] == 0.0;
  return std::abs(positionGap_[u]) <= kGapUlps * kEpsilon * (place_ * moves_[u] + turns_[u]);
}

// Where a machine starts from rest, nothing is large enough to judge corrections by. Positions that
// change by their last digits only are known, and so is what measures them: signals of accelerations
// carry the round-off of positions, magnified by 1/(βh²) and by gains.
bool TimeStepper::isLastDigit() const {
  if (!hasMotions()) return false;
  const double digit = kFloorUlps * kEpsilon;
  const double noise = kLargestNoiseGain * kFloorUlps * calcNoise();
  for (int u = 0; u < delta_.size(); ++u) {
    const double change = std::abs(weights_.value[u] * delta_[u]);
    if (class_[u] == kTranslation && change > digit * length_) return false;
    if (class_[u] == kRotation && change > digit) return false;
    if ((class_[u] == kSignal || class_[u] == kState) && change > noise) return false;
  }
  return true;
}

void TimeStepper::classify() {
  const system::System& system = assembler_.system();
  class_.resize(system.unknowns());
  for (int u = 0; u < system.unknowns(); ++u) {
    switch (system.kinds()[u]) {
      case Kind::kMotion:
        class_[u] = system.isRotation(UnknownIndex{u}) ? kRotation : kTranslation;
        break;
      case Kind::kMultiplier:
        class_[u] = kMultiplier;
        break;
      case Kind::kState:
        class_[u] = kState;
        break;
      case Kind::kSignal:
        class_[u] = kSignal;
        break;
    }
    ++classCount_[class_[u]];
    if (class_[u] == kMultiplier) multipliers_.push_back(u);
    if (class_[u] > kRotation) notMotions_.push_back(u);
  }
}

// Root mean squares by class, the largest seen so far: corrections are judged against them.
void TimeStepper::renewScales(const State& state) {
  std::array<double, kClasses> sum{};
  for (int u = 0; u < state.value.size(); ++u) {
    const double x = class_[u] <= kRotation ? startAcceleration_[u] : state.value[u];
    sum[class_[u]] += x * x;
  }
  for (int u = 0; u < state.value.size(); ++u) {
    if (class_[u] == kState) largest_[u] = std::max(largest_[u], std::abs(state.value[u]));
  }
  place_ = 0.0;
  for (const auto& frame : state.frames) place_ = std::max(place_, frame.x.cwiseAbs().maxCoeff());
  length_ = std::max(length_, place_);
  scale_[kTranslation] = std::max(scale_[kTranslation], assembler_.system().gravity().norm());
  for (int c = 0; c < kClasses; ++c) {
    if (classCount_[c] == 0) continue;
    scale_[c] = std::max({scale_[c], std::sqrt(sum[c] / classCount_[c]), kTinyScale});
  }
  // Rotations move the machine over its size: neither is judged as if it were alone.
  scale_[kRotation] = std::max(scale_[kRotation], 0.1 * scale_[kTranslation] / length_);
  scale_[kTranslation] = std::max(scale_[kTranslation], 0.1 * scale_[kRotation] * length_);
  const double force = meanMass_ * scale_[kTranslation];
  scale_[kMultiplier] = std::max(scale_[kMultiplier], force / options_.constraintScale);
  std::array<double, kClasses> weight{};
  for (int c = 0; c < kClasses; ++c) {
    const double share = c == kSignal && hasMotions() ? kSignalTolerance : 1.0;
    const double allowed = share * options_.tolerance * scale_[c];
    weight[c] = classCount_[c] > 0 ? 1.0 / (classCount_[c] * allowed * allowed) : 0.0;
  }
  const double digit = kFloorUlps * kEpsilon;
  for (int u = 0; u < lastDigit_.size(); ++u) {
    lastDigit_[u] = class_[u] == kTranslation ? digit * length_ : digit;
  }
  // Corrections of states are those of w; their values move by the weight of the step.
  for (int u = 0; u < normWeight_.size(); ++u) {
    const double step = class_[u] == kState ? weights_.value[u] : 1.0;
    normWeight_[u] = weight[class_[u]] * step * step;
  }
  // The share of redundant multipliers that no motion feels is round-off over ε; the rest of them is judged by the
  // motions.
  for (int i = 0; i < soft_.size(); ++i) normWeight_[soft_.row(i)] = 0.0;
}

}  // namespace flexloop::solve
