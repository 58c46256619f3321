#include "solve/time_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solve/initial_conditions.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A step whose iteration contracts slower than this gets new tangents in its middle.
constexpr double kSlowContraction = 0.6;
// Slower than this, the next step begins with new tangents.
constexpr double kRenewContraction = 0.12;
// Round-off floor of corrections, in units of the last place of the positions.
constexpr double kFloorUlps = 16.0;
// Before a step has measured its own contraction, the last one counts, but not below this: it grows as
// the tangents age.
constexpr double kSmallestContraction = 0.1;
constexpr double kTinyScale = 1e-9;
// Signals beside motions may be off by this multiple of the tolerance: what measures a turning node ages
// faster than the tangents of the machine, and follows its motions at once.
constexpr double kSignalTolerance = 10.0;
// Between a measured acceleration and any signal.
constexpr double kLargestNoiseGain = 1e3;

}  // namespace

TimeStepper::TimeStepper(system::Assembler& assembler, const StepperOptions& options)
    : assembler_(assembler),
      options_(options),
      matrix_(assembler.pattern()),
      massSystem_(assembler) {
  const int n = assembler.system().unknowns();
  for (Eigen::VectorXd* w :
       {&weights_.value, &weights_.rate, &weights_.acceleration, &increment_, &residual_, &delta_,
        &compliance_, &positionGap_, &shift_, &memory_[0].acceleration, &memory_[0].value,
        &memory_[1].acceleration, &memory_[1].value}) {
    w->setZero(n);
  }
  weights_.row.setOnes(n);
  normWeight_.setZero(n);
  largest_.setOnes(n);
  classify();
  assembler_.setAugmentation(options.constraintScale, options.constraintPenalty);
  matrix_ = assembler_.pattern();
  if (SignalCorrection::isWorthwhile(assembler.system())) {
    signalCorrection_ = std::make_unique<SignalCorrection>(assembler.system(), matrix_);
  }
}

void TimeStepper::setCompliance(const Eigen::VectorXd& compliance,
                                const Eigen::VectorXd& accelerationCompliance) {
  compliance_ = compliance;
  massSystem_.setCompliance(accelerationCompliance);
}

void TimeStepper::setWeights(double h, const Scheme& scheme) {
  if (h == weightStep_ && scheme.motion.gamma == weightGamma_ &&
      scheme.state.theta == weightTheta_) {
    return;
  }
  weightStep_ = h;
  weightGamma_ = scheme.motion.gamma;
  weightTheta_ = scheme.state.theta;
  factorStep_ = 0.0;
  const MotionScheme& m = scheme.motion;
  const StateScheme& s = scheme.state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < weights_.value.size(); ++u) {
    weights_.row[u] = 1.0;
    switch (kinds[u]) {
      case Kind::kMotion:
        weights_.value[u] = h * h * m.beta;
        weights_.rate[u] = h * m.gamma;
        weights_.acceleration[u] = (1.0 - m.alphaM) / (1.0 - m.alphaF);
        break;
      case Kind::kState:
        weights_.value[u] = h * s.theta;
        weights_.rate[u] = (1.0 - s.deltaM) / (1.0 - s.deltaF);
        break;
      case Kind::kMultiplier:
        weights_.value[u] = 1.0;
        if (options_.scaleConstraints) weights_.row[u] = 1.0 / (h * h * m.beta);
        break;
      case Kind::kSignal:
        weights_.value[u] = 1.0;
        break;
    }
  }
}

void TimeStepper::predict(const State& from, double h, double end, const Scheme& scheme) {
  const MotionScheme& m = scheme.motion;
  const StateScheme& s = scheme.state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  trial_.time = end;
  const double extrapolation = memory_[0].step > 0.0 ? h / memory_[0].step : 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      const double dv = from.acceleration[u] +
                        extrapolation * (from.acceleration[u] - memory_[0].acceleration[u]);
      const double a0 = from.algorithmic[u];
      const double a1 = ((1.0 - m.alphaF) * dv + m.alphaF * from.acceleration[u] - m.alphaM * a0) /
                        (1.0 - m.alphaM);
      trial_.algorithmic[u] = a1;
      trial_.acceleration[u] = dv;
      trial_.rate[u] = from.rate[u] + h * ((1.0 - m.gamma) * a0 + m.gamma * a1);
      increment_[u] = h * from.rate[u] + h * h * ((0.5 - m.beta) * a0 + m.beta * a1);
    } else if (kinds[u] == Kind::kState) {
      const double w0 = from.algorithmic[u];
      const double w1 = (from.rate[u] - s.deltaM * w0) / (1.0 - s.deltaM);
      trial_.algorithmic[u] = w1;
      trial_.rate[u] = from.rate[u];
      increment_[u] = h * ((1.0 - s.theta) * w0 + s.theta * w1);
      trial_.acceleration[u] = 0.0;
    } else {
      trial_.rate[u] = trial_.acceleration[u] = trial_.algorithmic[u] = 0.0;
      increment_[u] = extrapolation * (from.value[u] - memory_[0].value[u]);
    }
  }
  assembler_.system().retract(from, increment_, trial_);
}

void TimeStepper::update(const State& from, const Eigen::VectorXd& delta) {
  trial_.algorithmic += delta;
  increment_ += weights_.value.cwiseProduct(delta) + shift_;
  trial_.rate += weights_.rate.cwiseProduct(delta);
  trial_.acceleration += weights_.acceleration.cwiseProduct(delta);
  assembler_.system().retract(from, increment_, trial_);
}

bool TimeStepper::factorize(StepReport& report) {
  assembler_.calcIterationMatrix(trial_, weights_, &increment_, matrix_);
  for (int u = 0; u < compliance_.size(); ++u) {
    if (compliance_[u] != 0.0) {
      matrix_.coeffRef(u, u) -= compliance_[u] * weights_.row[u] * weights_.value[u];
    }
  }
  if (solver_ == nullptr)
    solver_ = linalg::makeSparseSolver(matrix_, options_.solver, assembler_.eliminationGroups());
  ++report.factorizations;
  const linalg::FactorReport factored =
      solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
  if (factored.ok && signalCorrection_ != nullptr) signalCorrection_->factorize(matrix_);
  if (!factored.ok) {
    report.trouble = "the equations cannot be solved";
    if (factored.singularColumn >= 0) {
      const UnknownIndex singular{factored.singularColumn};
      const std::string loop = describeLoop(assembler_.system(), singular);
      report.trouble +=
          loop.empty() ? ": nothing determines the " + assembler_.system().unknownName(singular)
                       : ": the algebraic loop of " + loop + " has no unique solution";
    }
  }
  return factored.ok;
}

TimeStepper::Norm TimeStepper::calcNorm(const Eigen::VectorXd& delta) const {
  double mechanical = 0.0, others = 0.0;
  for (int u = 0; u < delta.size(); ++u) {
    const double square = normWeight_[u] * delta[u] * delta[u];
    (class_[u] <= kMultiplier ? mechanical : others) += square;
  }
  return {std::sqrt(mechanical + others), std::sqrt(mechanical), std::sqrt(others)};
}

// Corrections of motions and multipliers can be round-off of the positions, magnified by 1/(βh²), and
// so can those of signals that measure them.
bool TimeStepper::isRoundOff(const Norm& norm, double h) const {
  if (!hasMotions()) return false;
  const double floor = kFloorUlps * kEpsilon * length_ /
                       (h * h * options_.scheme.motion.beta * options_.tolerance *
                        std::max(scale_[kTranslation], kTinyScale));
  return norm.mechanical <= floor && norm.others <= std::max(1.0, norm.mechanical);
}

// Where a machine starts from rest, nothing is large enough to judge corrections by. Positions that
// change by their last digits only are known, and so is what measures them: signals of accelerations
// carry the round-off of positions, magnified by 1/(βh²) and by gains.
bool TimeStepper::isLastDigit(double h) const {
  if (!hasMotions()) return false;
  const double digit = kFloorUlps * kEpsilon;
  const double noise = kLargestNoiseGain * digit * length_ / (h * h * options_.scheme.motion.beta);
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
  }
}

// Root mean squares by class, the largest seen so far: corrections are judged against them.
void TimeStepper::renewScales(const State& state) {
  std::array<double, kClasses> sum{};
  for (int u = 0; u < state.value.size(); ++u) {
    const double x = class_[u] <= kRotation ? state.acceleration[u] : state.value[u];
    sum[class_[u]] += x * x;
  }
  for (int u = 0; u < state.value.size(); ++u) {
    if (class_[u] == kState) largest_[u] = std::max(largest_[u], std::abs(state.value[u]));
  }
  for (const auto& frame : state.frames) length_ = std::max(length_, frame.x.cwiseAbs().maxCoeff());
  scale_[kTranslation] = std::max(scale_[kTranslation], assembler_.system().gravity().norm());
  for (int c = 0; c < kClasses; ++c) {
    if (classCount_[c] == 0) continue;
    scale_[c] = std::max({scale_[c], std::sqrt(sum[c] / classCount_[c]), kTinyScale});
  }
  // Rotations move the machine over its size: neither is judged as if it were alone.
  scale_[kRotation] = std::max(scale_[kRotation], 0.1 * scale_[kTranslation] / length_);
  scale_[kTranslation] = std::max(scale_[kTranslation], 0.1 * scale_[kRotation] * length_);
  scale_[kMultiplier] = std::max(scale_[kMultiplier], meanMass_ * scale_[kTranslation]);
  std::array<double, kClasses> weight{};
  for (int c = 0; c < kClasses; ++c) {
    const double share = c == kSignal && hasMotions() ? kSignalTolerance : 1.0;
    const double allowed = share * options_.tolerance * scale_[c];
    weight[c] = classCount_[c] > 0 ? 1.0 / (classCount_[c] * allowed * allowed) : 0.0;
  }
  // Corrections of states are those of w; their values move by the weight of the step.
  for (int u = 0; u < normWeight_.size(); ++u) {
    const double step = class_[u] == kState ? weights_.value[u] : 1.0;
    normWeight_[u] = weight[class_[u]] * step * step;
    // The share of redundant multipliers that no motion feels is round-off over the compliance; the
    // rest of them is judged by the motions.
    if (compliance_[u] != 0.0) normWeight_[u] = 0.0;
  }
}

std::string TimeStepper::describeWorst(const Eigen::VectorXd& delta) const {
  const system::System& system = assembler_.system();
  int worst = 0;
  for (int u = 0; u < delta.size(); ++u) {
    if (!std::isfinite(delta[u])) {
      worst = u;
      break;
    }
    if (std::abs(delta[u]) > std::abs(delta[worst])) worst = u;
  }
  const std::string loop = describeLoop(system, UnknownIndex{worst});
  return "'" + system.equationName(UnknownIndex{worst}) + "'" +
         (loop.empty() ? "" : ", part of the algebraic loop of " + loop);
}

void TimeStepper::calcTrialResidual() {
  assembler_.calcResidual(trial_, residual_);
  if (options_.constraints == ConstraintForm::kStabilizedIndex2 && hasMultipliers_) {
    positionGap_ = residual_;
    if (hasDrives_) {
      SignalSystem& signals = massSystem_.signals();
      if (signals.solve(trial_).empty()) signals.calcRates(trial_);
    }
    assembler_.calcTimeDerivatives(trial_, derivatives_);
    // Φ' in units of Φ: a change δa moves the velocity by hγ and the position by h²β.
    const MotionScheme& m = options_.scheme.motion;
    const double toPosition = weightStep_ * m.beta / weightGamma_;
    for (int u = 0; u < residual_.size(); ++u) {
      if (class_[u] == kMultiplier) residual_[u] = toPosition * derivatives_.first[u];
    }
  }
  residual_ -= compliance_.cwiseProduct(trial_.value);
}

void TimeStepper::solveCorrection() {
  delta_ = -weights_.row.cwiseProduct(residual_);
  solver_->solve(delta_);
  shift_.setZero();
  if (options_.constraints != ConstraintForm::kStabilizedIndex2 || !hasMultipliers_) return;
  // What the velocity correction leaves open of the positions is closed along S⁻¹Bᵀ.
  for (int u = 0; u < shift_.size(); ++u) {
    if (class_[u] == kMultiplier) shift_[u] = -weights_.row[u] * (positionGap_[u] - residual_[u]);
  }
  solver_->solve(shift_);
  for (int u = 0; u < shift_.size(); ++u) {
    shift_[u] = class_[u] <= kRotation ? weights_.value[u] * shift_[u] : 0.0;
  }
}

void TimeStepper::correctSignals() {
  if (signalCorrection_ == nullptr || !signalCorrection_->isUsable()) return;
  assembler_.calcSignalResidual(trial_, residual_);
  signalCorrection_->solve(residual_, delta_);
  if (!delta_.allFinite()) return;
  increment_ += weights_.value.cwiseProduct(delta_);
  trial_.algorithmic += delta_;
  trial_.rate += weights_.rate.cwiseProduct(delta_);
  trial_.value += weights_.value.cwiseProduct(delta_);
}

bool TimeStepper::solveStep(const State& from, double h, StepReport& report) {
  bool fresh = false;
  double previousNorm = 0.0, previousMotion = 0.0;
  for (report.iterations = 1; report.iterations <= options_.maxIterations; ++report.iterations) {
    calcTrialResidual();
    report.trouble = describeUndefined(assembler_.system(), residual_);
    if (!report.trouble.empty()) return false;
    if (factorStep_ == 0.0) {
      if (!factorize(report)) return false;
      factorStep_ = h;
      fresh = true;
      previousNorm = 0.0;
    }
    solveCorrection();
    const Norm parts = calcNorm(delta_);
    const double norm = parts.all;
    if (!std::isfinite(norm)) {
      report.trouble = "the iteration diverged at " + describeWorst(delta_);
      return false;
    }
    update(from, delta_);
    const double rate =
        previousNorm > 0.0 ? norm / previousNorm : std::max(contraction_, kSmallestContraction);
    if (previousNorm > 0.0) {
      // New tangents are worth their cost where they help the motions.
      const double judged = previousMotion > 0.0 ? parts.mechanical / previousMotion : rate;
      report.contraction = std::max(report.contraction, std::min(judged, 1.0));
    }
    if (rate < 1.0 && norm * rate / (1.0 - rate) <= 1.0) return true;
    if (isRoundOff(parts, h)) return true;
    if (fresh && previousNorm > 0.0 && rate > kSlowContraction && isLastDigit(h)) return true;
    if (previousNorm > 0.0 && rate > kSlowContraction) {
      if (fresh && rate > 2.0) {
        report.trouble = "the iteration does not converge at " + describeWorst(delta_);
        return false;
      }
      factorStep_ = 0.0;
    }
    correctSignals();
    previousNorm = norm;
    previousMotion = parts.mechanical;
  }
  report.trouble = "no convergence in " + std::to_string(options_.maxIterations) +
                   " iterations; the largest correction is at " + describeWorst(delta_);
  return false;
}

StepReport TimeStepper::step(State& state, double h, double end) {
  StepReport report;
  Scheme scheme = options_.scheme;
  // A start is made for a step of some length, which may have been taken back.
  const double ratio = memory_[0].distance > 0.0 ? memory_[0].distance / h : 1.0;
  if (ratio != 1.0) {
    scheme.motion = adaptToStepRatio(scheme.motion, ratio);
    scheme.state = adaptToStepRatio(scheme.state, ratio);
  }
  setWeights(h, scheme);
  if (trial_.frames.size() != state.frames.size()) trial_ = state;
  trial_.history = state.history;
  trial_.records = state.records;
  const bool corrected = correctForStepChange(state, h);
  const State& from = corrected ? base_ : state;
  predict(from, h, end, scheme);
  renewScales(state);
  report.converged = solveStep(from, h, report);
  if (!report.converged) {
    factorStep_ = 0.0;
    return report;
  }
  contraction_ = report.contraction > 0.0 ? report.contraction : contraction_;
  if (contraction_ > kRenewContraction) factorStep_ = 0.0;
  localError_ =
      std::max(calcMotionError(state, scheme.motion, h), calcStateError(state, scheme.state, h));
  std::swap(memory_[0], memory_[1]);
  memory_[0].acceleration = state.acceleration;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] == kState) memory_[0].acceleration[u] = state.rate[u];
  }
  memory_[0].value = state.value;
  memory_[0].step = memory_[0].distance = h;
  memory_[0].startCoefficient = calcStartCoefficient(ratio);
  std::swap(state, trial_);
  assembler_.updateHistory(state);
  return report;
}

void TimeStepper::reject(State& state) {
  std::swap(state, trial_);
  std::swap(memory_[0], memory_[1]);
}

StepperMemory TimeStepper::memory() const {
  StepperMemory memory{memory_[0].acceleration, memory_[0].value, {}};
  memory.numbers = {memory_[0].step,     memory_[0].startCoefficient,
                    memory_[0].distance, length_,
                    meanMass_,           contraction_};
  memory.numbers.insert(memory.numbers.end(), scale_.begin(), scale_.end());
  memory.numbers.insert(memory.numbers.end(), largest_.begin(), largest_.end());
  return memory;
}

void TimeStepper::restore(const StepperMemory& memory) {
  memory_[0].acceleration = memory.acceleration;
  memory_[0].value = memory.value;
  const double* next = memory.numbers.data();
  for (double* number : {&memory_[0].step, &memory_[0].startCoefficient, &memory_[0].distance,
                         &length_, &meanMass_, &contraction_}) {
    *number = *next++;
  }
  std::copy(next, next + kClasses, scale_.begin());
  std::copy_n(next + kClasses, largest_.size(), largest_.begin());
  classifyConstraints();
  forgetFactors();
}

void TimeStepper::forgetFactors() {
  solver_.reset();
  if (signalCorrection_ != nullptr) signalCorrection_->forgetFactors();
  massSystem_.forgetFactors();
  factorStep_ = 0.0;
}

void TimeStepper::classifyConstraints() {
  hasMultipliers_ = classCount_[kMultiplier] > 0;
  hasDrives_ = massSystem_.signals().hasDrives();
}

}  // namespace flexloop::solve
