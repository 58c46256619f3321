// The Newton iteration of a step: residual, tangents, corrections and when they end
// (docs/theory/09_time.md, sections 9.2, 9.6 and 9.8).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/pieces.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::State;
using system::UnknownIndex;

namespace {

// A step whose iteration contracts slower than this gets new tangents in its middle.
constexpr double kSlowContraction = 0.6;
// So does one whose tangents are those of an earlier step, if it would take more further iterations than new tangents take in
// time: one for so many entries in a column of the matrix, within these bounds.
constexpr double kEntriesByIteration = 3.0, kLeastOldIterations = 4.0, kMostOldIterations = 8.0;
// A shift of positions, in units of the tolerance, that may wait for the next step.
constexpr double kSmallClosing = 0.01;
// With new tangents in each of them: corrections that lead back and forth do not end by themselves.
constexpr int kManyIterations = 4;
// Of states that drive joints: what is round-off of them.
constexpr double kLastDigits = 16.0 * std::numeric_limits<double>::epsilon();
// Filters one behind the other that drive a joint are solved for one after the other.
constexpr int kMostDrivePasses = 8;
// Of a correction that leads out of the domain of an element: to a thousandth of it.
constexpr int kMostShortenings = 10;

// Iterations until a correction as large as this, in units of the tolerance, has become small enough.
double countMissing(double norm, double rate) {
  return std::log(norm * rate / (1.0 - rate)) / -std::log(rate);
}

double countWorthwhile(const linalg::SparseMatrix& matrix) {
  const double entries =
      static_cast<double>(matrix.nonZeros()) / static_cast<double>(matrix.cols());
  return std::clamp(entries / kEntriesByIteration, kLeastOldIterations, kMostOldIterations);
}

// As allFinite, without a branch for every number.
bool areNumbers(const Eigen::VectorXd& x) {
  return (0.0 * x).sum() == 0.0;
}

}  // namespace

// Accelerations are as large as those that move a part over its size in a step, rates of states as those that make them.
void TimeStepper::scaleUnits() {
  const double square = step_.h * step_.h;
  std::vector<PartUnits> units;
  for (const PartSize& size : partSizes_.all()) {
    units.push_back({size.length / square, size.length, size.mass > 0.0 ? size.mass : meanMass_});
  }
  if (units.size() == 1) units.front() = {length_ / square, length_, meanMass_};
  calcUnitScaling(assembler_.system(), {partSizes_.parts(), units}, gradient_, terms(), matrix_,
                  size_.cwiseQuotient(weights_.value), factors_->scaling);
  factors_->scaledKey = factors_->key;
}

bool TimeStepper::factorize(const State& at, StepReport& report) {
  const system::StepIncrement increment{expected_, increment_, axes_.centres()};
  assembler_.calcIterationMatrix(at, weights_, &increment, matrix_);
  soft_.soften(matrix_, &weights_.row, &weights_.value, factors_->softness);
  ++report.factorizations;
  if (factors_->scaledKey != factors_->key) scaleUnits();
  linalg::FactorReport factored = factors_->matrix.factorize(
      matrix_, factors_->scaling, options_.solver, assembler_.eliminationGroups());
  if (!factored.ok && !all_.isEmpty()) {
    // In this pose more constraints depend on each other than at the start: multipliers have no unique values.
    Eigen::VectorXd softness;
    all_.soften(matrix_, &weights_.row, &weights_.value, softness);
    factored = factors_->matrix.factorize(matrix_, factors_->scaling, options_.solver,
                                          assembler_.eliminationGroups());
    hasDependentPose_ = factored.ok;
  }
  if (factored.ok && factors_->signals != nullptr) {
    factors_->signals->factorize(matrix_, factors_->scaling);
  }
  factors_->isValid = factored.ok;
  factors_->force = calcForceNorm();
  factors_->steps = 0;
  factors_->answers.resize(0, 0);
  factors_->responses.clear();
  if (factored.ok) measureNoise();
  if (factored.ok && !others_.empty()) {
    renewDigits();
    weighOthers();
  }
  if (!factored.ok) report.failure = describeSingular(factored.singularColumn);
  return factored.ok;
}

base::Failure TimeStepper::describeSingular(int column) const {
  const std::string what = "the equations cannot be solved";
  if (column < 0) return base::numericalFailure(what);
  const UnknownIndex singular{column};
  const std::string loop = describeLoop(assembler_.system(), singular);
  if (!loop.empty()) {
    return base::numericalFailure(what + ": the algebraic loop of " + loop +
                                  " has no unique solution");
  }
  return base::numericalFailure(
      what + ": nothing determines the " + assembler_.system().unknownName(singular),
      class_[column] <= kRotation ? "give it a mass or an inertia, hold it with a spring or a "
                                    "joint, or remove it from 'free'"
                                  : "");
}

base::Failure TimeStepper::describeDivergence(const State* state, StepReport& report) const {
  if (auto failure = describeUndefined(assembler_.system(), residual_, state)) return *failure;
  return base::numericalFailure("the iteration diverged at " + describeWorst(residual_, report));
}

std::string TimeStepper::describeWorst(const Eigen::VectorXd& delta, StepReport& report) const {
  const system::System& system = assembler_.system();
  int worst = 0;
  for (int u = 0; u < delta.size(); ++u) {
    if (!std::isfinite(delta[u])) {
      worst = u;
      break;
    }
    if (std::abs(delta[u]) > std::abs(delta[worst])) worst = u;
  }
  report.worst = worst;
  const std::string loop = describeLoop(system, UnknownIndex{worst});
  return "'" + system.equationName(UnknownIndex{worst}) + "'" +
         (loop.empty() ? "" : ", part of the algebraic loop of " + loop);
}

// States and signals of blocks, the Newton unknowns of which are corrected.
void TimeStepper::addToOthers(const Eigen::VectorXd& corrections) {
  increment_ += weights_.value.cwiseProduct(corrections);
  vectors_.algorithmic += corrections;
  vectors_.rate += weights_.rate.cwiseProduct(corrections);
  trial_.rate += weights_.rate.cwiseProduct(corrections);
  trial_.value += weights_.value.cwiseProduct(corrections);
}

// States that follow a steep law are solved for at the signals as they are: the iteration of the machine then meets forces
// between motions alone, which are far less steep. With `chosen` others as well; true if any has changed.
bool TimeStepper::settleStates(const std::vector<bool>* chosen) {
  if (chosen == nullptr && !hasInnerStates_) return false;
  const system::Motion& motion = assembler_.calcMotion(trial_);
  const system::InnerWeights weights{weights_.value, weights_.rate, normWeight_};
  signalDelta_.setZero();
  bool isAny = false;
  for (const system::InnerStates* set : innerStates_) {
    isAny = set->settleStates(motion, weights, chosen, signalDelta_) || isAny;
  }
  if (isAny) addToOthers(signalDelta_);
  return isAny;
}

// Whether the drives depend on nothing that has changed by more than round-off since their rates were found in this step.
bool TimeStepper::areDrivesKnown() const {
  if (driveTime_ != trial_.time) return false;
  if (drivesUseMotions_) return false;
  for (const int u : driveStates_) {
    const double digit = kLastDigits * seen_[u];
    if (!(std::abs(trial_.value[u] - signalState_.value[u]) <= digit)) return false;
    const double rate = std::abs(trial_.rate[u]);
    const double open = digit / step_.h + kLastDigits * rate;
    if (!(std::abs(trial_.rate[u] - signalState_.rate[u]) <= open)) return false;
  }
  return true;
}

// Rates of driven joints are rates of signals. Where those follow from time and from states that are known, once in a step is
// enough. At the start of a step such states are solved for in advance: a filter that only sources drive is then where it ends.
void TimeStepper::calcDriveRates() {
  if (areDrivesKnown()) return;
  SignalSystem& signals = massSystem_.signals();
  int passes = driveTime_ != trial_.time && !driveStates_.empty() ? kMostDrivePasses : 0;
  do {
    signalState_ = trial_;
    if (signals.solve(signalState_)) return;
    takeSignals();
  } while (passes-- > 0 && settleStates(&isDriveState_));
  signals.calcRates(signalState_);
  for (const SignalSystem::Drive& drive : signals.drives()) {
    trial_.rate[drive.signal] = vectors_.rate[drive.signal] = signalState_.rate[drive.signal];
  }
  driveTime_ = trial_.time;
}

// Velocities do not follow corrections of signals, so there must be none left.
void TimeStepper::takeSignals() {
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] != kSignal) continue;
    increment_[u] += signalState_.value[u] - trial_.value[u];
    trial_.value[u] = signalState_.value[u];
  }
}

void TimeStepper::calcTrialResidual() {
  if (isIndex2() && hasDrives_) calcDriveRates();
  settleStates(nullptr);
  assembler_.calcResidual(trial_, residual_);
  positionGap_ = residual_;
}

// Takes half of what is left of the last correction back.
bool TimeStepper::shorten(const State& from) {
  if (++shortenings_ > kMostShortenings) return false;
  last_ *= 0.5;
  lastShift_ *= 0.5;
  delta_ = -last_;
  shift_ = -lastShift_;
  add(from, delta_, shift_);
  return true;
}

// The first try beside the extrapolated one is that nothing changes; later ones lie on the way back. What was undefined
// stays in the report: an iteration that ends beside it, out of its reach, has failed because of it.
bool TimeStepper::returnToDomain(const State& from, StepReport& report) {
  if (areNumbers(residual_)) {
    report.failure.reset();
    return true;
  }
  for (int tries = 0; !residual_.allFinite(); ++tries) {
    report.failure = describeUndefined(assembler_.system(), residual_, &trial_);
    const bool isFirst = report.iterations == 1;
    if (isFirst && tries == 0) {
      predict(from, trial_.time, false);
    } else if (isFirst || !shorten(from)) {
      if (!report.failure) report.failure = describeDivergence(&trial_, report);
      return false;
    } else {
      discardFactors(1.0);
    }
    calcTrialResidual();
  }
  return true;
}

// Multipliers that no motion determines are what iterations have left of round-off and of gaps that were not closed yet,
// over ε. (B S⁻¹ Bᵀ + ε)⁻¹ ε finds them, and is used once more in the correction: others change by ε² only.
void TimeStepper::removeSelfStress(Eigen::VectorXd& rhs) {
  const double loan = cache_.isBorrowed() ? cache_.motionScale() : 1.0;
  selfStress_.setZero();
  for (int i = 0; i < soft_.size(); ++i) {
    selfStress_[soft_.row(i)] = -loan * factors_->softness[i] * trial_.value[soft_.row(i)];
  }
  solveByFactors(selfStress_);
  for (int i = 0; i < soft_.size(); ++i) {
    rhs[soft_.row(i)] += loan * factors_->softness[i] * selfStress_[soft_.row(i)];
  }
}

// With constraints on velocities, accelerations leave the positions normal to the joints alone; a shift along S⁻¹Bᵀ closes
// them (9.17).
void TimeStepper::solveCorrection() {
  delta_ = -weights_.row.cwiseProduct(residual_);
  shift_.setZero();
  if (isIndex2()) {
    findOpenParts();
    for (const int u : multipliers_) {
      gap_[u] = isOpen_[partSizes_.part(u)] != 0 ? -positionGap_[u] : 0.0;
      delta_[u] = 0.0;
    }
  }
  if (!soft_.isEmpty()) removeSelfStress(delta_);
  const double opening = isIndex2() ? calcOpening(gap_) : 0.0;
  if (opening == 0.0 || closing_ * opening <= kSmallClosing) {
    solveByFactors(delta_);
    return;
  }
  for (const int u : multipliers_) {
    shift_[u] = weights_.row[u] * gap_[u];
    stepGap_[u] += gap_[u];
  }
  solvePairByFactors(delta_, shift_);
  finishShift(gap_);
}

// Where positions are closed, velocities are closed too, by accelerations whose moves another shift takes back: so
// they agree with the joints as they are now, not as they were before the correction.
void TimeStepper::closeVelocities(const State& from) {
  if (hasDrives_) calcDriveRates();
  assembler_.calcMotion(trial_);
  assembler_.calcConstraintRates(gap_);
  // Φ' in units of Φ: a change δa moves the velocity by hγ and the position by h²β.
  gap_ *= step_.h * scheme_.motion.beta / scheme_.motion.gamma;
  const double opening = calcOpening(gap_);
  // What is far below the tolerance is left to the next step.
  if (opening == 0.0 || closing_ * opening <= kSmallClosing) return;
  velocityDelta_.setZero();
  for (const int u : multipliers_) {
    velocityDelta_[u] = -weights_.row[u] * gap_[u];
    stepGap_[u] += gap_[u];
  }
  solveByFactors(velocityDelta_);
  leaveDependent(velocityDelta_, -1.0);
  const bool areHeld = areDrivesHeld(velocityDelta_, gap_);
  // The matrix knows how positions follow from increments; velocities follow at once.
  axes_.applyTangents({expected_, increment_, axes_.centres()}, velocityDelta_);
  axes_.toStart(velocityDelta_);
  forEachPiece(delta_.size(), [&](Eigen::Index first, Eigen::Index count) {
    auto change = velocityDelta_.segment(first, count);
    delta_.segment(first, count) += change;
    addToVectors(first, change);
    change.array() *= weights_.value.segment(first, count).array();
  });
  for (const int u : notMotions_) {
    increment_[u] += velocityDelta_[u];
    trial_.value[u] += velocityDelta_[u];
    velocityDelta_[u] = 0.0;
  }
  shift_ -= velocityDelta_;
  if (areHeld) {
    moveRates();
  } else {
    followStates(from);
  }
}

void TimeStepper::correctSignals() {
  SignalCorrection* signals = factors_->signals.get();
  if (signals == nullptr || !signals->isUsable()) return;
  assembler_.calcSignalResidual(trial_, residual_);
  signals->solve(residual_, signalDelta_);
  if (cache_.isBorrowed()) scaleBack(signalDelta_);
  if (signalDelta_.allFinite()) addToOthers(signalDelta_);
}

bool TimeStepper::solveStep(const State& from, StepReport& report) {
  hasDependentPose_ = false;
  if (!expectShift(from, report)) return false;
  bool fresh = report.factorizations > 0;
  bool wasSmall = false, isSuspect = false;
  double previousNorm = 0.0, previousMotion = 0.0, previousMoving = 0.0, previousCurved = 0.0;
  for (report.iterations = 1; report.iterations <= options_.maxIterations; ++report.iterations) {
    calcTrialResidual();
    if (!returnToDomain(from, report)) return false;
    if (!factors_->isValid) {
      if (!factorize(trial_, report)) return false;
      fresh = true;
      previousNorm = previousCurved = 0.0;
    }
    followAxes(trial_);
    solveCorrection();
    if (!others_.empty()) {
      terms().solveFollowing(factors_->matrix.values().data(), residual_, delta_);
    }
    meetLaws();
    if (raiseSizes() && previousNorm > 0.0) {
      const Norm before = calcNorm(last_);
      previousNorm = before.all;
      previousMotion = before.motions;
      previousMoving = before.moving;
      previousCurved = before.curved;
    }
    Norm parts = calcNorm(delta_);
    double norm = parts.all;
    if (!std::isfinite(norm)) {
      report.failure =
          base::numericalFailure("the iteration diverged at " + describeWorst(delta_, report));
      return false;
    }
    // A signal that begins to move is no larger correction than before: there was none.
    if (hasBegun_ && parts.moving <= previousMoving) previousNorm = previousCurved = 0.0;
    // With tangents of this step a correction that is followed by a larger one was too long, unless they are round-off.
    // Of multipliers none is: they follow, at once, what closing the positions leaves open, however large that makes
    // them near dependent poses.
    if (fresh && previousNorm > 0.0 && parts.curved > previousCurved && norm > previousNorm &&
        !isRoundOff(parts, 1.0) && shorten(from)) {
      continue;
    }
    if (fresh && report.iterations > kManyIterations && previousNorm > 0.0 && parts.curved > 1.0 &&
        isAlternating()) {
      searchBetween(from);
      discardFactors(report.contraction);
      previousNorm = previousCurved = 0.0;
      continue;
    }
    update(from, delta_);
    if (isIndex2()) {
      closeVelocities(from);
      parts = calcNorm(delta_);
      norm = parts.all;
    }
    shortenings_ = 0;
    const double rate = previousNorm > 0.0 ? norm / previousNorm : expectContraction();
    if (previousNorm > 0.0 && !wasSmall) {
      // New tangents are worth their cost where they help the motions.
      double judged = previousMotion > 0.0 ? parts.motions / previousMotion : rate;
      if (cache_.isBorrowed()) judged = judgeLoan(parts.curved, previousCurved, report.iterations);
      report.contraction = std::max(report.contraction, std::min(judged, 1.0));
    }
    const bool isSmall = (rate < 1.0 && norm * rate / (1.0 - rate) <= allowedRest()) ||
                         (wasSmall && norm <= allowedRest()) ||
                         isRoundOff(parts, previousNorm > 0.0 ? rate : 0.0);
    const Evidence evidence =
        isSmall && !fresh ? judgeTangents(previousNorm > 0.0) : Evidence::kHeld;
    if (isSmall && evidence == Evidence::kHeld) return true;
    if (evidence == Evidence::kContradicted) {
      if (isSuspect) discardFactors(1.0);
      isSuspect = true;
    }
    wasSmall = isSmall;
    if (fresh && previousNorm > 0.0 && rate > kSlowContraction && isLastDigit()) return true;
    last_.swap(delta_);
    lastShift_.swap(shift_);
    const double curved =
        previousCurved > 0.0 ? std::min(parts.curved / previousCurved, rate) : rate;
    const bool isSlow = curved > kSlowContraction ||
                        (!fresh && countMissing(norm, rate) > countWorthwhile(matrix_));
    if (previousNorm > 0.0 && isSlow && !isSmall) {
      if (fresh && curved > 2.0) {
        report.failure = base::numericalFailure("the iteration does not converge at " +
                                                describeWorst(last_, report));
        return false;
      }
      discardFactors(report.contraction);
      if (!fresh && curved > 1.0) {
        beginAgain(from);
        continue;
      }
    }
    residual_.swap(previousResidual_);
    // Corrections that alternate are compared as they are.
    if (!fresh || report.iterations < kManyIterations) correctSignals();
    previousNorm = norm;
    previousMotion = parts.motions;
    previousMoving = parts.moving;
    previousCurved = parts.curved;
  }
  if (!report.failure) {
    report.failure = base::numericalFailure(
        "no convergence in " + std::to_string(options_.maxIterations) +
        " iterations; the largest correction is at " + describeWorst(last_, report));
  }
  return false;
}

}  // namespace flexloop::solve
