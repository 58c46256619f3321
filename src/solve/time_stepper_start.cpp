// How the scheme starts, goes on after jumps, and takes over a change of its step: the part of
// TimeStepper that keeps order 2 in the multipliers (docs/theory/09_time.md, (9.8) to (9.14)).
#include <algorithm>
#include <array>

#include "solve/initial_conditions.hpp"
#include "solve/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Third derivatives at the start are differences over this share of the step.
constexpr double kJerkShare = 0.05;
constexpr double kLargestStartChange = 2.0;

// The slope in the middle of three values dt apart; zero where it changes too much over h, because of a
// jump or because what it belongs to is too fast for the step.
double calcSlope(double left, double middle, double right, double dt, double h) {
  const double before = (middle - left) / dt, after = (right - middle) / dt;
  const double change = std::abs(after - before) * h / dt;
  const bool isSmooth = change <= kLargestStartChange * std::max(std::abs(before), std::abs(after));
  return isSmooth ? 0.5 * (before + after) : 0.0;
}

// What jumps of an unknown, where positions, velocities and states do not.
template <typename SomeState>
auto& jumpingPart(SomeState& state, Kind kind) {
  if (kind == Kind::kMotion) return state.acceleration;
  return kind == Kind::kState ? state.rate : state.value;
}

}  // namespace

double TimeStepper::calcStartCoefficient(double ratio) const {
  const MotionScheme& m = options_.scheme.motion;
  return 1.0 / 6.0 - (0.5 - m.beta) * m.offset() * ratio - m.beta * (1.0 + m.offset());
}

// The normal velocity that the constraints impose at order h² is excited anew by a change of the step;
// shifting the velocity by the difference keeps the multipliers at order 2 (9.9).
bool TimeStepper::correctForStepChange(const State& state, double h) {
  if (memory_[0].step == 0.0) return false;
  const double now = h * h * calcStartCoefficient(memory_[0].step / h);
  const double before = memory_[0].step * memory_[0].step * memory_[0].startCoefficient;
  const bool excited = hasMultipliers_ && options_.constraints == ConstraintForm::kIndex3;
  if ((h == memory_[0].step && now == before) || !excited) return false;
  // The jerk is that of the consistent motion: differences of the computed accelerations would feed
  // their own error back, which is unstable for rho above 0.7.
  Eigen::VectorXd jerk;
  if (!calcJerk(state, h, jerk)) return false;
  base_ = state;
  shiftVelocity(base_, now - before, (h * h - memory_[0].step * memory_[0].step) / 12.0, jerk);
  return true;
}

void TimeStepper::shiftVelocity(State& state, double jerkFactor, double bracketFactor,
                                const Eigen::VectorXd& jerk) {
  const system::System& system = assembler_.system();
  if (!massSystem_.update(state, MassSystem::Use::kKinematics).ok) return;
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
  classifyConstraints();
  state.algorithmic.setZero();
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < state.rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.algorithmic[u] = state.acceleration[u];
    if (kinds[u] == Kind::kState) state.algorithmic[u] = state.rate[u];
  }
  memory_[0].step = 0.0;
  memory_[0].hasJump = false;
  memory_[0].distance = h;
  memory_[0].startCoefficient = calcStartCoefficient(1.0);
  setWeights(h, options_.scheme);
  renewScales(state);
  Eigen::VectorXd jerk;
  const bool hasJerk = calcJerk(state, h, jerk);
  meanMass_ = calcMeanMass();
  for (int u = 0; u < jerk.size(); ++u) {
    if (kinds[u] != Kind::kState) continue;
    state.algorithmic[u] += options_.scheme.state.offset() * h * jerk[u];
    memory_[0].acceleration[u] = state.rate[u] - h * jerk[u];
  }
  if (!hasJerk) return;
  for (int u = 0; u < jerk.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      state.algorithmic[u] += options_.scheme.motion.offset() * h * jerk[u];
    }
  }
  const bool excited = hasMultipliers_ && options_.constraints == ConstraintForm::kIndex3;
  if (excited) shiftVelocity(state, h * h * memory_[0].startCoefficient, h * h / 12.0, jerk);
}

void TimeStepper::resume(const State& state, const State& before) {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  Eigen::VectorXd& jump = memory_[0].jump;
  if (!memory_[0].hasJump) jump.setZero();
  memory_[0].hasJump = true;
  for (int u = 0; u < jump.size(); ++u) {
    jump[u] += jumpingPart(state, kinds[u])[u] - jumpingPart(before, kinds[u])[u];
  }
}

// The forces that have changed are known from the residual at the accelerations and multipliers before
// the jump; a step that ends with a correction of its own by S⁻¹ of them resolves what is left of the jump.
// States and signals are linearised about their values after the jump, so that what nonlinear blocks
// make of it counts in full.
bool TimeStepper::filterJump(StepReport& report) {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  jump_ = memory_[0].jump;
  for (int u = 0; u < jump_.size(); ++u) {
    if (class_[u] > kMultiplier) continue;
    jumpingPart(base_, kinds[u])[u] -= jump_[u];
    jump_[u] = 0.0;
  }
  assembler_.calcResidual(base_, residual_);
  if (factorStep_ == 0.0) {
    increment_.setZero();
    if (!factorize(base_, report)) return false;
    factorStep_ = weightStep_;
  }
  delta_ = -weights_.row.cwiseProduct(residual_);
  for (int u = 0; u < delta_.size(); ++u) {
    if (class_[u] == kMultiplier) delta_[u] = 0.0;
  }
  if (hasDrives_) addDrivenJump(delta_);
  solver_->solve(delta_);
  for (int u = 0; u < delta_.size(); ++u) {
    const double change = delta_[u] * (kinds[u] == Kind::kMotion  ? weights_.acceleration[u]
                                       : kinds[u] == Kind::kState ? weights_.rate[u]
                                                                  : weights_.value[u]);
    jump_[u] += change;
    jumpingPart(base_, kinds[u])[u] += change;
    if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kState) base_.algorithmic[u] += jump_[u];
  }
  return true;
}

// Joints that are driven jump as a whole: B Δa = B Δv'.
void TimeStepper::addDrivenJump(Eigen::VectorXd& rhs) const {
  for (int column = 0; column < matrix_.cols(); ++column) {
    if (class_[column] > kRotation) continue;
    const double change = memory_[0].jump[column] / weights_.acceleration[column];
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry) {
      if (class_[entry.row()] == kMultiplier) rhs[entry.row()] += entry.value() * change;
    }
  }
}

double TimeStepper::calcMeanMass() const {
  const Eigen::VectorXd mass = massSystem_.mass().diagonal();
  double sum = 0.0;
  for (int u = 0; u < mass.size(); ++u) {
    if (class_[u] == kTranslation) sum += mass[u];
  }
  return classCount_[kTranslation] > 0 ? sum / classCount_[kTranslation] : 0.0;
}

bool TimeStepper::calcJerk(const State& state, double h, Eigen::VectorXd& jerk) {
  jerk.setZero(state.rate.size());
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
  // Where the motion is too stiff for the step, the expansion in h has no meaning.
  double size = scale_[kTranslation], largest = 0.0;
  for (int u = 0; u < jerk.size(); ++u) {
    if (class_[u] == kState) {
      jerk[u] = calcSlope(at[0].rate[u], state.rate[u], at[1].rate[u], dt, h);
    } else if (class_[u] <= kRotation) {
      jerk[u] = (at[1].acceleration[u] - at[0].acceleration[u]) / (2.0 * dt);
      size = std::max(size, std::abs(state.acceleration[u]));
      largest = std::max(largest, std::abs(jerk[u]));
    }
  }
  return jerk.allFinite() && h * largest <= kLargestStartChange * size;
}

}  // namespace flexloop::solve
