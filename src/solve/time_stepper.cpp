#include "solve/time_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solve/initial_conditions.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A step whose iteration contracts slower than this gets new tangents in its middle.
constexpr double kSlowContraction = 0.3;
// Slower than this, the next step begins with new tangents.
constexpr double kRenewContraction = 0.12;
// Round-off floor of corrections, in units of the last place of the positions.
constexpr double kFloorUlps = 16.0;
constexpr double kSmallestContraction = 1e-3;
constexpr double kTinyScale = 1e-9;
// Third derivatives at the start are differences over this share of the step.
constexpr double kJerkShare = 0.05;
constexpr double kLargestStartChange = 2.0;

}  // namespace

TimeStepper::TimeStepper(system::Assembler& assembler, const StepperOptions& options)
    : assembler_(assembler),
      options_(options),
      matrix_(assembler.pattern()),
      massSystem_(assembler) {
  const int n = assembler.system().unknowns();
  for (Eigen::VectorXd* w : {&weights_.value, &weights_.rate, &weights_.acceleration, &increment_,
                             &residual_, &delta_, &compliance_, &previousAcceleration_}) {
    w->setZero(n);
  }
  weights_.row.setOnes(n);
  assembler_.setAugmentation(options.constraintScale, options.constraintPenalty);
}

void TimeStepper::setCompliance(const Eigen::VectorXd& compliance) {
  compliance_ = compliance;
  massSystem_.setCompliance(compliance);
}

void TimeStepper::setWeights(double h, const Scheme& scheme) {
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

void TimeStepper::predict(const State& from, double h, const Scheme& scheme) {
  const MotionScheme& m = scheme.motion;
  const StateScheme& s = scheme.state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  trial_.time = from.time + h;
  for (int u = 0; u < increment_.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      const double dv = from.acceleration[u];
      const double a0 = from.algorithmic[u];
      const double a1 = (dv - m.alphaM * a0) / (1.0 - m.alphaM);  // v' stays
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
    } else {
      increment_[u] = 0.0;
    }
  }
  assembler_.system().retract(from, increment_, trial_);
}

void TimeStepper::update(const State& from, const Eigen::VectorXd& delta) {
  trial_.algorithmic += delta;
  increment_ += weights_.value.cwiseProduct(delta);
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
  if (solver_ == nullptr) solver_ = linalg::makeSparseSolver(matrix_, options_.solver);
  ++report.factorizations;
  const linalg::FactorReport factored =
      solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
  if (!factored.ok) {
    report.trouble = "the equations cannot be solved";
    if (factored.singularColumn >= 0) {
      report.trouble += ": nothing determines the " +
                        assembler_.system().unknownName(UnknownIndex{factored.singularColumn});
    }
  }
  return factored.ok;
}

double TimeStepper::calcNorm(const Eigen::VectorXd& delta) const {
  const system::System& system = assembler_.system();
  const std::vector<Kind>& kinds = system.kinds();
  // Sums of squares and counts: translation, rotation, multiplier, state, signal.
  std::array<double, 5> sum{};
  std::array<int, 5> count{};
  for (int u = 0; u < delta.size(); ++u) {
    int c = 0;
    double x = delta[u];
    switch (kinds[u]) {
      case Kind::kMotion: c = system.isRotation(UnknownIndex{u}) ? 1 : 0; break;
      case Kind::kMultiplier: c = 2; break;
      case Kind::kState: c = 3; x *= weights_.value[u]; break;
      case Kind::kSignal: c = 4; break;
    }
    sum[c] += x * x;
    ++count[c];
  }
  const std::array<double, 5> scale{scales_.translation, scales_.rotation, scales_.multiplier,
                                    scales_.state, scales_.signal};
  double norm = 0.0;
  for (int c = 0; c < 5; ++c) {
    if (count[c] == 0) continue;
    norm = std::max(norm, std::sqrt(sum[c] / count[c]) / (options_.tolerance * scale[c]));
  }
  return norm;
}

void TimeStepper::renewScales(const State& state) {
  const system::System& system = assembler_.system();
  const std::vector<Kind>& kinds = system.kinds();
  std::array<double, 5> sum{};
  std::array<int, 5> count{};
  for (int u = 0; u < state.value.size(); ++u) {
    int c = 0;
    double x = state.value[u];
    switch (kinds[u]) {
      case Kind::kMotion:
        c = system.isRotation(UnknownIndex{u}) ? 1 : 0;
        x = state.acceleration[u];
        break;
      case Kind::kMultiplier: c = 2; break;
      case Kind::kState: c = 3; break;
      case Kind::kSignal: c = 4; break;
    }
    sum[c] += x * x;
    ++count[c];
  }
  const auto rms = [&](int c) { return count[c] > 0 ? std::sqrt(sum[c] / count[c]) : 0.0; };
  for (const auto& frame : state.frames) {
    scales_.length = std::max(scales_.length, frame.x.cwiseAbs().maxCoeff());
  }
  const double length = scales_.length > 0.0 ? scales_.length : 1.0;
  const double gravity = system.gravity().norm();
  scales_.translation = std::max({scales_.translation, rms(0), gravity, kTinyScale});
  scales_.rotation = std::max({scales_.rotation, rms(1), scales_.translation / length * 0.1});
  scales_.multiplier = std::max({scales_.multiplier, rms(2), kTinyScale});
  scales_.state = std::max({scales_.state, rms(3), kTinyScale});
  scales_.signal = std::max({scales_.signal, rms(4), kTinyScale});
}

std::string TimeStepper::nameWorst(const Eigen::VectorXd& delta) const {
  int worst = 0;
  delta.cwiseAbs().maxCoeff(&worst);
  return assembler_.system().equationName(UnknownIndex{worst});
}

bool TimeStepper::solveStep(const State& from, double h, StepReport& report) {
  bool fresh = false;
  double previousNorm = 0.0;
  double floor = 0.0;
  if (factorStep_ != h) factorStep_ = 0.0;
  for (report.iterations = 1; report.iterations <= options_.maxIterations; ++report.iterations) {
    assembler_.calcResidual(trial_, residual_);
    residual_ -= compliance_.cwiseProduct(trial_.value);
    if (factorStep_ == 0.0) {
      if (!factorize(report)) return false;
      factorStep_ = h;
      fresh = true;
      previousNorm = 0.0;
    }
    delta_ = -weights_.row.cwiseProduct(residual_);
    solver_->solve(delta_);
    const double norm = calcNorm(delta_);
    if (!std::isfinite(norm)) {
      report.trouble = "the iteration diverged at '" + nameWorst(delta_) + "'";
      return false;
    }
    update(from, delta_);
    // Corrections below this are round-off of the positions, magnified by 1/(βh²).
    floor = kFloorUlps * kEpsilon * std::max(scales_.length, 1.0) /
            (h * h * options_.scheme.motion.beta * options_.tolerance * scales_.translation);
    const double rate = previousNorm > 0.0 ? norm / previousNorm : std::max(contraction_, kSmallestContraction);
    if (previousNorm > 0.0) {
      report.contraction = std::max(report.contraction, std::min(rate, 1.0));
    }
    if (rate < 1.0 && norm * rate / (1.0 - rate) <= 1.0) return true;
    if (norm <= floor) return true;
    if (previousNorm > 0.0 && rate > kSlowContraction) {
      if (fresh && rate > 2.0) {
        report.trouble = "the iteration does not converge at '" + nameWorst(delta_) + "'";
        return false;
      }
      factorStep_ = 0.0;
    }
    previousNorm = norm;
  }
  report.trouble = "no convergence in " + std::to_string(options_.maxIterations) +
                   " iterations; the largest correction is at '" + nameWorst(delta_) + "'";
  return false;
}

StepReport TimeStepper::step(State& state, double h) {
  StepReport report;
  Scheme scheme = options_.scheme;
  const double ratio = previousStep_ > 0.0 ? previousStep_ / h : 1.0;
  if (ratio != 1.0) {
    scheme.motion = adaptToStepRatio(scheme.motion, ratio);
    scheme.state = adaptToStepRatio(scheme.state, ratio);
  }
  if (scheme.motion.gamma != factorGamma_) factorStep_ = 0.0;
  factorGamma_ = scheme.motion.gamma;
  setWeights(h, scheme);
  trial_ = state;
  correctForStepChange(trial_, h);
  base_ = trial_;
  predict(base_, h, scheme);
  renewScales(state);
  report.converged = solveStep(base_, h, report);
  if (!report.converged) {
    factorStep_ = 0.0;
    return report;
  }
  contraction_ = report.contraction > 0.0 ? report.contraction : contraction_;
  if (contraction_ > kRenewContraction) factorStep_ = 0.0;
  localError_ = 0.0;
  const double weight = std::abs(scheme.motion.beta - 1.0 / 6.0) * h * h;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < increment_.size(); ++u) {
    if (kinds[u] != Kind::kMotion) continue;
    localError_ = std::max(localError_,
                           weight * std::abs(trial_.algorithmic[u] - state.algorithmic[u]));
  }
  previousAcceleration_ = state.acceleration;
  startCoefficient_ = calcStartCoefficient(ratio);
  previousStep_ = h;
  std::swap(state, trial_);
  assembler_.updateHistory(state);
  return report;
}

double TimeStepper::calcStartCoefficient(double ratio) const {
  const MotionScheme& m = options_.scheme.motion;
  return 1.0 / 6.0 - (0.5 - m.beta) * m.offset() * ratio - m.beta * (1.0 + m.offset());
}

// The normal velocity that the constraints impose at order h² is excited anew by a change of the step;
// shifting the velocity by the difference keeps the multipliers at order 2 (9.9).
void TimeStepper::correctForStepChange(State& state, double h) {
  if (previousStep_ == 0.0) return;
  const double now = h * h * calcStartCoefficient(previousStep_ / h);
  const double before = previousStep_ * previousStep_ * startCoefficient_;
  if (now == before || !hasMultipliers_) return;
  const Eigen::VectorXd jerk = (state.acceleration - previousAcceleration_) / previousStep_;
  shiftVelocity(state, now - before, (h * h - previousStep_ * previousStep_) / 12.0, jerk);
}

void TimeStepper::shiftVelocity(State& state, double jerkFactor, double bracketFactor,
                                const Eigen::VectorXd& jerk) {
  const system::System& system = assembler_.system();
  if (!massSystem_.update(state).ok) return;
  Eigen::VectorXd x = jerkFactor * jerk;
  for (const system::Node& node : system.nodes()) {
    if (node.count == 0) continue;
    const math::Vec6<double> b = calcBracket(node, state.rate.data() + node.firstUnknown,
                                             state.acceleration.data() + node.firstUnknown);
    x.segment(node.firstUnknown, node.count) += bracketFactor * b.head(node.count);
  }
  for (int u = 0; u < x.size(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) x[u] = 0.0;
  }
  Eigen::VectorXd projected = massSystem_.stiffness() * x;  // B x in the rows of constraints
  for (int u = 0; u < x.size(); ++u) {
    if (system.kinds()[u] != Kind::kMultiplier) projected[u] = 0.0;
  }
  massSystem_.solve(projected);
  for (int u = 0; u < x.size(); ++u) {
    if (system.kinds()[u] == Kind::kMotion) state.rate[u] += projected[u];
  }
}

void TimeStepper::start(State& state, double h) {
  hasMultipliers_ = std::any_of(assembler_.system().kinds().begin(),
                                assembler_.system().kinds().end(),
                                [](Kind kind) { return kind == Kind::kMultiplier; });
  state.algorithmic.setZero();
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < state.rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.algorithmic[u] = state.acceleration[u];
    if (kinds[u] == Kind::kState) state.algorithmic[u] = state.rate[u];
  }
  previousStep_ = 0.0;
  startCoefficient_ = calcStartCoefficient(1.0);
  renewScales(state);
  Eigen::VectorXd jerk;
  if (!calcJerk(state, h, jerk)) return;
  // Where the motion is too stiff for the step, the expansion in h has no meaning.
  const double size = std::max(scales_.translation, state.acceleration.cwiseAbs().maxCoeff());
  if (h * jerk.cwiseAbs().maxCoeff() > kLargestStartChange * size) return;
  for (int u = 0; u < jerk.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      state.algorithmic[u] += options_.scheme.motion.offset() * h * jerk[u];
    }
  }
  if (hasMultipliers_) shiftVelocity(state, h * h * startCoefficient_, h * h / 12.0, jerk);
}

bool TimeStepper::calcJerk(const State& state, double h, Eigen::VectorXd& jerk) {
  const double dt = kJerkShare * h;
  std::array<State, 2> at{state, state};
  for (const int side : {0, 1}) {
    const double t = side == 0 ? -dt : dt;
    Eigen::VectorXd dq = t * state.rate + 0.5 * t * t * state.acceleration;
    for (int u = 0; u < dq.size(); ++u) {
      const Kind kind = assembler_.system().kinds()[u];
      if (kind == Kind::kMotion) at[side].rate[u] += t * state.acceleration[u];
      if (kind == Kind::kMultiplier) dq[u] = 0.0;
    }
    assembler_.system().retract(state, dq, at[side]);
    at[side].time += t;
    if (!calcAccelerations(assembler_, massSystem_, at[side])) return false;
  }
  jerk = (at[1].acceleration - at[0].acceleration) / (2.0 * dt);
  return jerk.allFinite();
}

}  // namespace flexloop::solve
