// How the scheme continues after jumps: what the coming step resolves of them (docs/theory/09_time.md, section 9.5).
#include <algorithm>
#include <cmath>

#include "solve/time/across_joints.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// What is left of a jump after the last iteration, at most what the tolerance allows, and their number at most.
constexpr double kJumpTolerance = 1e-6;
constexpr int kJumpIterations = 12;
// A contraction that is slow for borrowed factors, which take more of them.
constexpr double kSlowJump = 0.15;
constexpr int kBorrowedJumpIterations = 16;
// In units of the tolerance: what hardly contracts there is round-off.
constexpr double kSmallJump = 0.01, kStalled = 0.5;
// Of a jump that the step resolves: half of it, over a fifth of a step.
constexpr double kLongTravel = 0.1;
// Share of its jump that a step resolves of a state which is not fast.
constexpr double kResolved = 0.5;

// What jumps of an unknown, where positions, velocities and states do not.
template <typename SomeState>
auto& jumpingPart(SomeState& state, Kind kind) {
  if (kind == Kind::kMotion) return state.acceleration;
  return kind == Kind::kState ? state.rate : state.value;
}

}  // namespace

void TimeStepper::resume(State& state, const State& before, bool slopesJump) {
  if (slopesJump) dropRinging(before, state);
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  Eigen::VectorXd& jump = memory_[0].jump;
  if (!memory_[0].hasJump) {
    jump.setZero();
    memory_[0].driven.setZero();
  }
  memory_[0].hasJump = true;
  for (int u = 0; u < jump.size(); ++u) {
    jump[u] += jumpingPart(state, kinds[u])[u] - jumpingPart(before, kinds[u])[u];
  }
  if (!hasDrives_) return;
  addDrivenJump(state, before);
}

// What rings in the filter beside a stiff force, such as a brake, is no impulse on its way: that force would take it back. Where
// it is gone, nothing does, so only what the last step resolves of it is left.
void TimeStepper::dropRinging(const State& before, State& state) {
  const double ofMotion = calcLag(options_.scheme.motion.alphaF),
               ofState = calcLag(options_.scheme.state.deltaF);
  if (factors_ == nullptr || !hasFactors() || memory_[0].hasJump || memory_[0].isFirst) return;
  const Eigen::VectorXd stored = calcStored(before);
  if (stored.isZero(0.0)) return;
  beginAt(before);
  assembler_.calcResidual(trial_, residual_);
  Eigen::VectorXd rest = stored - resolveStored(stored);
  // Across joints nothing rings: there it is the lag behind what they impose, as of a drive.
  Eigen::VectorXd across = calcAcross(
      matrix_, factors_->matrix.values(), stored / key_[2],
      [&](int u) { return class_[u] <= kRotation; },
      [&](int u) { return class_[u] == kMultiplier; });
  solveByFactors(across);
  for (int u = 0; u < rest.size(); ++u) {
    if (class_[u] <= kRotation) rest[u] -= weights_.acceleration[u] * across[u];
    if (class_[u] == kState) rest[u] -= weights_.rate[u] * across[u];
  }
  for (int u = 0; u < rest.size(); ++u) {
    if (class_[u] <= kRotation && ofMotion != 0.0) state.algorithmic[u] -= rest[u] / ofMotion;
    if (class_[u] == kState && ofState != 0.0) state.algorithmic[u] -= rest[u] / ofState;
  }
}

// What drives alone make of Φ'': accelerations found by the steps, before the jump, ring about the consistent ones, and
// the difference must not be taken for a jump.
void TimeStepper::addDrivenJump(const State& state, const State& before) {
  State with = before;
  system::TimeDerivatives derivatives;
  for (const double side : {-1.0, 1.0}) {
    for (const SignalSystem::Drive& drive : massSystem_.signals().drives()) {
      with.acceleration[drive.signal] = (side < 0.0 ? before : state).acceleration[drive.signal];
    }
    assembler_.calcTimeDerivatives(with, derivatives);
    for (const int u : multipliers_) memory_[0].driven[u] += side * derivatives.second[u];
  }
  // What drives joints has second derivatives that jump, and its states the lag of them.
  for (const int u : massSystem_.signals().states()) {
    memory_[0].driven[u] += options_.scheme.state.offset() * memory_[0].nominal *
                            (state.acceleration[u] - before.acceleration[u]);
  }
}

// The jump is what a Newton iteration of the coming step makes of it before any time has passed: from the
// accelerations and multipliers before the jump and the signals after it, corrections by S⁻¹ of the residual, which
// move positions and velocities too as far as the step does. Few are enough, but with tangents that have aged
// one is not: the impulse of a force would be wrong by as much as the tangents are.
bool TimeStepper::filterJump(StepReport& report) {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  if (classCount_[kState] > 0 && !factors_->isValid) {
    beginAt(base_);
    assembler_.calcResidual(trial_, residual_);
    if (!residual_.allFinite()) {
      report.failure = describeDivergence(nullptr, report);
      return false;
    }
    if (!factorize(trial_, report)) return false;
  }
  findFastStates();
  for (int u = 0; u < jump_.size(); ++u) {
    if (isFiltered(u)) jumpingPart(base_, kinds[u])[u] -= memory_[0].jump[u];
  }
  beginAt(base_);
  renewScales(base_, 1.0);
  linearizeMoves();
  double first = 0.0, previous = 0.0, previousCurved = 0.0;
  bool isRenewed = false;
  const int most = cache_.isBorrowed() ? kBorrowedJumpIterations : kJumpIterations;
  for (int iteration = 0; iteration < most; ++iteration) {
    if (!calcJumpCorrection(report)) return false;
    const Norm parts = calcNorm(delta_);
    const double norm = parts.all;
    const bool isSmall = norm <= kSmallJump || isRoundOff(parts, 1.0);
    if (isRenewed && iteration > 0 && norm > previous && !isSmall) {
      report.failure = base::numericalFailure("the iteration at a jump does not converge at " +
                                              describeWorst(delta_, report));
      return false;
    }
    // What has switched may have changed the slopes of what follows it. Tangents that are too stiff hardly correct anything.
    if (!isRenewed && iteration > 0 && norm > kStalled * previous && !isSmall) {
      isRenewed = true;
      discardFactors(1.0);
      cache_.invalidate();
      beginAt(base_);
      moved_.setZero();
      iteration = -1;
      continue;
    }
    const double contraction = judgeLoan(parts.curved, previousCurved, iteration + 1);
    if (contraction > kSlowJump && cache_.isBorrowed() && !isSmall) {
      discardFactors(contraction);
      iteration = 0;
      continue;
    }
    addToJump();
    if (iteration == 0) first = norm;
    if (norm <= std::min(kJumpTolerance * first, 1.0) || norm <= kJumpTolerance) break;
    if (isSmall && iteration > 0 && norm > kStalled * previous) break;
    previous = norm;
    previousCurved = parts.curved;
  }
  takeJump();
  return true;
}

// What follows a state travels by the share c h² of its jump that the lag adds, as a part that starts too stiff does. A state that
// is so fast that this is more than the travel of a step takes what the step resolves of its jump; others take all of it.
void TimeStepper::findFastStates() {
  isFastState_.assign(class_.size(), false);
  if (classCount_[kState] == 0) return;
  const double ofLag = std::max(std::abs(options_.scheme.motion.filterError()),
                                std::abs(options_.scheme.state.filterError()));
  const std::vector<double>& values = factors_->matrix.values();
  for (int u = 0; u < matrix_.cols(); ++u) {
    if (class_[u] != kState) continue;
    const int begin = matrix_.outerIndexPtr()[u], end = matrix_.outerIndexPtr()[u + 1];
    const int* rows = matrix_.innerIndexPtr();
    const int* diagonal = std::lower_bound(rows + begin, rows + end, u);
    const double resolved = weights_.rate[u] / std::abs(values[diagonal - rows]);
    isFastState_[u] = resolved < kResolved && ofLag > kLongTravel * resolved;
  }
}

bool TimeStepper::isFiltered(int u) const {
  return class_[u] <= kMultiplier || isFastState_[u];
}

// A trial that is the state itself, with no time passed.
void TimeStepper::beginAt(const State& state) {
  trial_ = state;
  increment_.setZero();
  expected_.setZero();
  shift_.setZero();
  axes_.setTurns(state, trial_);
  startAcceleration_ = state.acceleration;
  axes_.addTurnOf(state.rate, startAcceleration_);
  axes_.toCentre(startAcceleration_);
  vectors_.rate = state.rate;
  axes_.toCentre(vectors_.rate);
  vectors_.acceleration = startAcceleration_;
  vectors_.algorithmic = state.algorithmic;
  axes_.toCentre(vectors_.algorithmic);
}

// What the coming step resolves of a jump depends on how stiffness and damping answer to where it leads, to first order only: the
// acceleration of a blow times the square of the step is no move that is ever made. Nor do forces of joints and accelerations
// last that long, so what turns them does not count.
void TimeStepper::linearizeMoves() {
  State still = base_;
  system::Weights weights = weights_;
  for (int u = 0; u < weights.value.size(); ++u) {
    if (class_[u] <= kRotation) {
      weights.acceleration[u] = still.acceleration[u] = 0.0;
      continue;
    }
    weights.value[u] = weights.rate[u] = 0.0;
    if (class_[u] == kMultiplier) still.value[u] = 0.0;
  }
  axes_.removeTurnOf(still.rate, still.acceleration);
  assembler_.calcResidual(still, residual_);
  const system::StepIncrement increment{expected_, increment_, axes_.centres()};
  if (moving_.nonZeros() != matrix_.nonZeros()) moving_ = assembler_.pattern();
  assembler_.calcIterationMatrix(still, weights, &increment, moving_);
  moved_.setZero(weights.value.size());
}

// Positions and velocities do not move. States do, as far as the step would lead them: what is fast is the difference of large terms.
void TimeStepper::addToJump() {
  moved_ += delta_;
  for (const int u : notMotions_) trial_.value[u] += weights_.value[u] * delta_[u];
  axes_.toStart(delta_);
  vectors_.algorithmic += delta_;
  vectors_.acceleration += weights_.acceleration.cwiseProduct(delta_);
  for (const int u : others_) {
    if (class_[u] == kState) vectors_.rate[u] += weights_.rate[u] * delta_[u];
  }
  moveRates();
}

bool TimeStepper::calcJumpCorrection(StepReport& report) {
  assembler_.calcResidual(trial_, residual_);
  if (!residual_.allFinite()) {
    report.failure = describeDivergence(&trial_, report);
    return false;
  }
  if (!factors_->isValid && !factorize(trial_, report)) return false;
  // Positions are closed but for round-off, and stay where they are.
  for (const int u : multipliers_) residual_[u] = 0.0;
  delta_ = -weights_.row.cwiseProduct(residual_) - moving_ * moved_;
  // Joints that are driven jump as a whole: B Δv' = −ΔΦ'' of their drives.
  if (hasDrives_) {
    for (const int u : multipliers_) delta_[u] -= memory_[0].driven[u] / key_[2];
  }
  followAxes(trial_);
  solveByFactors(delta_);
  return true;
}

// Accelerations, rates, multipliers and signals jump; positions, velocities and states do not.
void TimeStepper::takeJump() {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  delta_ = vectors_.acceleration - startAcceleration_;
  for (int u = 0; u < jump_.size(); ++u) {
    if (kinds[u] == Kind::kState) delta_[u] = vectors_.rate[u] - base_.rate[u];
    if (class_[u] == kMultiplier || class_[u] == kSignal) {
      delta_[u] = trial_.value[u] - base_.value[u];
    }
    jump_[u] = delta_[u] + (isFiltered(u) ? 0.0 : memory_[0].jump[u]);
  }
  axes_.fromCentre(delta_);
  for (int u = 0; u < jump_.size(); ++u) {
    jumpingPart(base_, kinds[u])[u] += delta_[u];
    if (kinds[u] == Kind::kMotion) base_.algorithmic[u] += delta_[u];
    if (kinds[u] == Kind::kState) base_.algorithmic[u] += jump_[u] + memory_[0].driven[u];
  }
}

}  // namespace flexloop::solve
