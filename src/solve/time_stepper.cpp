#include "solve/time_stepper.hpp"

#include <algorithm>

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Slower than this, the next step begins with new tangents.
constexpr double kRenewContraction = 0.12;

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
        &memory_[1].acceleration, &memory_[1].value, &memory_[0].jump, &memory_[1].jump, &jump_}) {
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
      const double before = from.acceleration[u] - jump_[u];
      const double dv =
          from.acceleration[u] + extrapolation * (before - memory_[0].acceleration[u]);
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
      increment_[u] = extrapolation * (from.value[u] - jump_[u] - memory_[0].value[u]);
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
  const bool isShifted = correctForStepChange(state, h);
  if (memory_[0].hasJump && !isShifted) base_ = state;
  if (memory_[0].hasJump && !filterJump(report)) return report;
  const State& from = isShifted || memory_[0].hasJump ? base_ : state;
  predict(from, h, end, scheme);
  renewScales(from);
  report.converged = solveStep(from, h, report);
  if (!report.converged) {
    factorStep_ = 0.0;
    return report;
  }
  contraction_ = report.contraction > 0.0 ? report.contraction : contraction_;
  if (contraction_ > kRenewContraction) factorStep_ = 0.0;
  localError_ =
      std::max(calcMotionError(from, scheme.motion, h), calcStateError(from, scheme.state, h));
  remember(from, h, calcStartCoefficient(ratio));
  std::swap(state, trial_);
  assembler_.updateHistory(state);
  return report;
}

void TimeStepper::remember(const State& from, double h, double startCoefficient) {
  std::swap(memory_[0], memory_[1]);
  memory_[0].acceleration = from.acceleration;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] == kState) memory_[0].acceleration[u] = from.rate[u];
  }
  memory_[0].value = from.value;
  memory_[0].step = memory_[0].distance = h;
  memory_[0].startCoefficient = startCoefficient;
  memory_[0].hasJump = false;
  jump_.setZero();
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
  if (memory_[0].hasJump) {
    memory.numbers.insert(memory.numbers.end(), memory_[0].jump.begin(), memory_[0].jump.end());
  }
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
  next += kClasses;
  std::copy_n(next, largest_.size(), largest_.begin());
  next += largest_.size();
  memory_[0].hasJump = next != memory.numbers.data() + memory.numbers.size();
  if (memory_[0].hasJump) std::copy_n(next, memory_[0].jump.size(), memory_[0].jump.begin());
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
