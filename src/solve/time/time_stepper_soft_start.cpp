// The start of parts that are too stiff for the step (docs/theory/09_time.md, section 9.4).
#include <algorithm>
#include <cmath>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::State;

namespace {

// Of accelerations at the start, the share that a step resolves: below it forces are so large that they spoil the momentum while
// their arms turn.
constexpr double kHardlyResolved = 1.0 / 16.0;

}  // namespace

// A part that is too stiff for the step, such as a rotor on a strong brake, has accelerations that are over long before the
// step is, and travels by the share of h²v' that the lag adds. Where that is more, it starts with those that a correction of the
// first step finds from none, as if all forces had jumped (9.16): it then travels for half a step. Accelerations across the
// joints stay.
void TimeStepper::softenStart(State& state) {
  const bool isStiff = std::any_of(isStiff_.begin(), isStiff_.end(), [](bool is) { return is; });
  if (!isStiff && classCount_[kState] == 0) return;
  beginAt(state);
  const Eigen::VectorXd before = startAcceleration_;
  StepReport report;
  assembler_.calcResidual(trial_, residual_);
  if (!residual_.allFinite() || !factorize(trial_, report)) return;
  findFastStates();
  State none = state;
  none.acceleration.setZero();
  axes_.removeTurnOf(none.rate, none.acceleration);
  for (const int u : multipliers_) none.value[u] = 0.0;
  for (const int u : others_) {
    if (isFastState_[u]) none.rate[u] = 0.0;
  }
  if (!solveSoftStart(none, before)) return;
  if (findHugeParts(before)) {
    // Tangents without those forces of joints: what turns them belongs to no step.
    if (!factorize(trial_, report) || !solveSoftStart(none, before)) return;
    findHugeParts(before);
  }
  takeSoftStart(before, state);
}

// (9.16) from a start without accelerations and forces of joints, but for what is across them.
bool TimeStepper::solveSoftStart(const State& none, const Eigen::VectorXd& before) {
  beginAt(none);
  assembler_.calcResidual(trial_, residual_);
  if (!residual_.allFinite()) return false;
  delta_ = -weights_.row.cwiseProduct(residual_);
  Eigen::VectorXd across = before / key_[2];
  for (const int u : notMotions_) across[u] = 0.0;
  across = matrix_ * across;
  for (const int u : multipliers_) delta_[u] = across[u];
  followAxes(trial_);
  factors_->matrix.solve(delta_);
  for (int u = 0; u < delta_.size(); ++u) {
    if (class_[u] == kState) delta_[u] *= weights_.rate[u];
    if (class_[u] <= kRotation) delta_[u] *= weights_.acceleration[u];
  }
  return delta_.allFinite();
}

// By part, how large accelerations are and what a step resolves of them; whether that is hardly any of one of them.
bool TimeStepper::findHugeParts(const Eigen::VectorXd& before) {
  startSizes_.assign(isStiff_.size(), {});
  for (int u = 0; u < delta_.size(); ++u) {
    if (class_[u] > kRotation) continue;
    const double arm = class_[u] == kRotation ? partSizes_.of(u).length : 1.0;
    StartSize& size = startSizes_[partSizes_.part(u)];
    size.full = std::max(size.full, arm * std::abs(before[u]));
    size.resolved = std::max(size.resolved, arm * std::abs(delta_[u]));
  }
  bool hasHuge = false;
  for (std::size_t part = 0; part < isStiff_.size(); ++part) {
    StartSize& size = startSizes_[part];
    size.isHuge = isStiff_[part] && size.resolved < kHardlyResolved * size.full;
    hasHuge = hasHuge || size.isHuge;
  }
  return hasHuge;
}

// From the solution of (9.16), where it is less than what the lag makes of the start.
void TimeStepper::takeSoftStart(const Eigen::VectorXd& before, State& state) {
  // Together with what drives it: else its impulse would be another one.
  const bool hasFastStates =
      std::any_of(isFastState_.begin(), isFastState_.end(), [](bool is) { return is; });
  const double ofLag = options_.scheme.motion.filterError(),
               ofHalfStep = 0.5 * scheme_.motion.gamma;
  for (int u = 0; u < delta_.size(); ++u) {
    // The change of its rate over a step has no meaning either.
    if (isFastState_[u]) {
      state.algorithmic[u] = state.rate[u] = memory_[0].acceleration[u] = delta_[u];
    }
    double change = 0.0;
    if (class_[u] <= kMultiplier) {
      const int part = partSizes_.part(u);
      const StartSize& size = startSizes_[part];
      const bool travels = hasFastStates || ofLag * size.full > ofHalfStep * size.resolved;
      if (class_[u] == kMultiplier) {
        if (size.isHuge) state.value[u] = delta_[u];
      } else if (size.isHuge || (isStiff_[part] && travels)) {
        change = delta_[u] - before[u];
      }
    }
    delta_[u] = change;
  }
  axes_.fromCentre(delta_);
  state.acceleration += delta_;
  state.algorithmic += delta_;
}

}  // namespace flexloop::solve
