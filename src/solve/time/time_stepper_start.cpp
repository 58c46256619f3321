// How the scheme starts, and takes over a change of its step: the part of TimeStepper that keeps order 2 in the
// multipliers (docs/theory/09_time.md, sections 9.3 and 9.4).
#include <algorithm>
#include <array>

#include "solve/consistent_accelerations.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/machine_size.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Third derivatives at the start are differences over this share of the step.
constexpr double kJerkShare = 0.05;
constexpr double kLargestStartChange = 2.0;
constexpr double kBend = 0.1;  // of a slope, by which it may differ from the mean of its neighbours
// After so many steps without lag, multipliers begin anew.
constexpr int kRenewalSteps = 100;
constexpr int kSoftPasses = 3;

// The slope in the middle of three values dt apart; zero where it changes too much over h, because of a
// jump or because what it belongs to is too fast for the step.
double calcSlope(double left, double middle, double right, double dt, double h) {
  const double before = (middle - left) / dt, after = (right - middle) / dt;
  const double change = std::abs(after - before) * h / dt;
  const bool isSmooth = change <= kLargestStartChange * std::max(std::abs(before), std::abs(after));
  return isSmooth ? 0.5 * (before + after) : 0.0;
}

// Whether the third of four values in equal distances follows a jump, as of a source that begins there: the slope between the
// second and the third is then not the mean of its neighbours.
bool hasJumped(double first, double second, double third, double fourth) {
  const double before = second - first, middle = third - second, after = fourth - third;
  const double allowed =
      std::abs(after - before) + kBend * std::max(std::abs(before), std::abs(after));
  return std::abs(middle - 0.5 * (before + after)) > allowed;
}

}  // namespace

double TimeStepper::calcErrorConstant(double filterError) const {
  const double H = 0.5 * (step_.nominal0 + step_.nominal1);
  return step_.h * step_.h / 12.0 + filterError * H * H;
}

const State* TimeStepper::prepareStart(const State& state, StepReport& report) {
  const bool changes = isIndex3() && memory_[0].errorConstant !=
                                         calcErrorConstant(options_.scheme.motion.filterError());
  const bool renews = needsRenewal();
  if (!changes && !renews && !memory_[0].hasJump) return &state;
  base_ = state;
  if (changes) correctForStepChange();
  if (renews) renew(base_);
  if (memory_[0].hasJump && !filterJump(report)) return nullptr;
  return &base_;
}

// The normal velocity that the constraints impose at order h² is excited anew by a change of the step;
// shifting the velocity by the difference keeps the multipliers at order 2 (9.15).
void TimeStepper::correctForStepChange() {
  const double h = step_.h, before = memory_[0].step;
  const double change =
      calcErrorConstant(options_.scheme.motion.filterError()) - memory_[0].errorConstant;
  // The jerk is that of the consistent motion: differences of the computed accelerations would feed
  // their own error back.
  State now = base_;
  Eigen::VectorXd jerk;
  if (!calcJerkBeside(now, kJerkShare * h, jerk)) return;
  shiftVelocity(base_, -change, (h * h - before * before) / 12.0, jerk);
}

// A scheme without lag has no memory that could be lost, and nothing that damps the error of multipliers: they
// begin anew where the step changes, and every now and then.
bool TimeStepper::hasNoMemory() const {
  return isIndex2() && options_.scheme.motion.hasNoLag() && memory_[0].isStep &&
         !memory_[0].hasJump;
}

bool TimeStepper::needsRenewal() const {
  return hasNoMemory() && (step_.h != memory_[0].step || memory_[0].sinceRenewal >= kRenewalSteps);
}

// What Newton's tolerance has left open of the velocities is closed too: divided by a step that is much shorter it would
// be a large acceleration.
void TimeStepper::renew(State& state) {
  const Eigen::VectorXd rate = state.rate;
  if (!followDriveRates(machine_, state)) return;
  Eigen::VectorXd acceleration = state.acceleration;
  axes_.addTurnOf(state.rate, acceleration);
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.algorithmic[u] = acceleration[u];
    if (kinds[u] == Kind::kState) state.rate[u] = rate[u];
  }
  memory_[0].sinceRenewal = 0;
}

void TimeStepper::forget(State& state, double time) {
  if (!hasNoMemory()) return;
  const double now = state.time;
  state.time = time;
  renew(state);
  state.time = now;
}

// P x, with the kinematics of the mass system.
Eigen::VectorXd TimeStepper::project(const Eigen::VectorXd& x) {
  // B x in the rows of constraints; with soft tangents what one solution leaves of it is projected again.
  Eigen::VectorXd projected = Eigen::VectorXd::Zero(x.size()), delta;
  for (int pass = 0; pass < (massSystem_.isSoft() ? kSoftPasses : 1); ++pass) {
    delta = massSystem_.stiffness() * (x - projected);
    for (int u = 0; u < x.size(); ++u) {
      if (class_[u] != kMultiplier) delta[u] = 0.0;
    }
    massSystem_.solve(delta);
    for (const int u : notMotions_) delta[u] = 0.0;
    projected += delta;
  }
  return projected;
}

void TimeStepper::shiftVelocity(State& state, double jerkFactor, double bracketFactor,
                                const Eigen::VectorXd& jerk) {
  const system::System& system = assembler_.system();
  if (!massSystem_.update(state, MassSystem::Use::kKinematics).ok) return;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(jerk.size());
  for (const system::Node& node : system.nodes()) {
    if (node.count == 0) continue;
    const math::Vec6<double> b = calcStepBracket(node, state.rate.data() + node.firstUnknown,
                                                 state.acceleration.data() + node.firstUnknown);
    x.segment(node.firstUnknown, node.count) = bracketFactor * b.head(node.count);
  }
  axes_.fromCentre(x);
  x += jerkFactor * jerk;
  for (int u = 0; u < x.size(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) x[u] = 0.0;
  }
  const Eigen::VectorXd projected = project(x);
  // Accelerations stay; rates of their components in axes that turn otherwise do not.
  axes_.addTurnOf(state.rate, state.acceleration);
  for (int u = 0; u < x.size(); ++u) {
    if (system.kinds()[u] == Kind::kMotion) state.rate[u] += projected[u];
  }
  axes_.removeTurnOf(state.rate, state.acceleration);
}

// Where accelerations jump, so does the normal velocity that steps of index 3 have (9.15), and also where only the third
// derivative of a drive jumps.
void TimeStepper::followJump(State& state, const State& before) {
  if (!isIndex3() || !memory_[0].isStep) return;
  State then = before, now = state;
  Eigen::VectorXd earlier, jerk;
  const double dt = kJerkShare * memory_[0].nominal;
  if (!calcJerkBeside(then, -dt, earlier)) return;
  const std::vector<bool> wereStiff = isStiff_;
  if (!calcJerkBeside(now, dt, jerk)) return;
  jerk -= earlier;
  for (int u = 0; u < jerk.size(); ++u) {
    const bool isMotion = class_[u] <= kRotation;
    if (isMotion && (wereStiff[partSizes_.part(u)] || isStiff_[partSizes_.part(u)])) jerk[u] = 0.0;
  }
  const Eigen::VectorXd rate = now.rate;
  now.acceleration -= then.acceleration;
  const double h = memory_[0].step;
  shiftVelocity(now, -memory_[0].errorConstant, h * h / 12.0, jerk);
  // What rates of signals are found with belongs to the state again.
  then = state;
  if (massSystem_.signals().solve(then)) return;
  axes_.addTurnOf(state.rate, state.acceleration);
  state.rate += now.rate - rate;
  axes_.removeTurnOf(state.rate, state.acceleration);
}

// After a blow: velocities across joints become those that steps have with the accelerations that follow it (9.10).
void TimeStepper::renewNormalVelocity(State& state) {
  if (!isIndex3() || !memory_[0].isStep) return;
  State now = state;
  if (!followDriveRates(machine_, now)) return;
  Eigen::VectorXd jerk;
  if (!calcJerkBeside(now, kJerkShare * memory_[0].nominal, jerk)) return;
  const double h = memory_[0].step;
  shiftVelocity(now, -memory_[0].errorConstant, h * h / 12.0, jerk);
  // What rates of signals are found with belongs to the state again.
  State then = state;
  if (massSystem_.signals().solve(then)) return;
  axes_.addTurnOf(state.rate, state.acceleration);
  for (int u = 0; u < state.rate.size(); ++u) {
    if (class_[u] <= kRotation) state.rate[u] = now.rate[u];
  }
  axes_.removeTurnOf(state.rate, state.acceleration);
}

// P v'' of the consistent motion on one side of a state, whose accelerations become consistent. It follows from positions,
// velocities and accelerations, unless these are too stiff for the step; a drive may set out with any third derivative.
bool TimeStepper::calcJerkBeside(State& state, double dt, Eigen::VectorXd& jerk) {
  if (!calcAccelerationsWithoutAnswers(machine_, state)) return false;
  Eigen::VectorXd acceleration = state.acceleration;
  axes_.addTurnOf(state.rate, acceleration);
  axes_.toCentre(acceleration);
  State at;
  if (!calcNearby(state, acceleration, dt, at)) return false;
  if (!massSystem_.update(state, MassSystem::Use::kKinematics).ok) return false;
  Eigen::VectorXd rest = (at.acceleration - acceleration) / dt;
  for (const int u : notMotions_) rest[u] = acceleration[u] = 0.0;
  axes_.fromCentre(rest);
  axes_.fromCentre(acceleration);
  jerk = project(rest);
  rest -= jerk;
  const double h = std::abs(dt) / kJerkShare;
  dropStiff(acceleration.cwiseAbs() + h * jerk.cwiseAbs(), h, rest);
  for (int u = 0; u < jerk.size(); ++u) {
    if (class_[u] <= kRotation && isStiff_[partSizes_.part(u)]) jerk[u] = 0.0;
  }
  return jerk.allFinite();
}

void TimeStepper::start(State& state, double nominalStep) {
  classifyConstraints();
  findCentres(state);
  state.algorithmic.setZero();
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  startAcceleration_ = state.acceleration;
  axes_.addTurnOf(state.rate, startAcceleration_);
  for (int u = 0; u < state.rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.algorithmic[u] = startAcceleration_[u];
    if (kinds[u] == Kind::kState) state.algorithmic[u] = state.rate[u];
  }
  const double H = wish_ = nominalStep;
  setWeights({H, H, H});
  Memory& last = memory_[0];
  last.isStep = last.hasJump = last.isCurved = false;
  last.stepBefore = last.stepEarlier = 0.0;
  last.isFirst = true;
  last.step = last.nominal = H;
  last.errorConstant = calcErrorConstant(options_.scheme.motion.filterError());
  last.sinceRenewal = 0;
  measureMachine(state);
  if (options_.estimatesError && reach_.isEmpty()) {
    reach_.begin(assembler_.system(), assembler_.lastingPattern(), massSystem_.mass(), moves_,
                 turns_, state);
  }
  renewScales(state, 1.0);
  Eigen::VectorXd jerk;
  const bool hasJerk = calcJerk(state, H, jerk);
  for (int u = 0; u < jerk.size(); ++u) {
    if (kinds[u] != Kind::kState) continue;
    state.algorithmic[u] += options_.scheme.state.offset() * H * jerk[u];
    last.acceleration[u] = state.rate[u] - H * jerk[u];
  }
  if (!hasJerk) return;
  softenStart(state);
  for (int u = 0; u < jerk.size(); ++u) {
    if (kinds[u] == Kind::kMotion) {
      state.algorithmic[u] += options_.scheme.motion.offset() * H * jerk[u];
    }
  }
  if (isIndex3()) shiftVelocity(state, -last.errorConstant, H * H / 12.0, jerk);
}

double TimeStepper::calcLag(double alphaF) const {
  return (0.5 - alphaF) * memory_[0].nominal;
}

Eigen::VectorXd TimeStepper::calcStored(const State& state) const {
  const double ofMotion = calcLag(options_.scheme.motion.alphaF);
  const double ofState = calcLag(options_.scheme.state.deltaF);
  Eigen::VectorXd acceleration = state.acceleration;
  axes_.addTurnOf(state.rate, acceleration);
  Eigen::VectorXd stored = Eigen::VectorXd::Zero(state.rate.size());
  for (int u = 0; u < stored.size(); ++u) {
    // Before a jump that the coming step is to take over.
    const double jump = memory_[0].hasJump ? memory_[0].jump[u] : 0.0;
    if (class_[u] <= kRotation)
      stored[u] = ofMotion * (state.algorithmic[u] - acceleration[u] + jump);
    if (class_[u] == kState) stored[u] = ofState * (state.algorithmic[u] - state.rate[u] + jump);
  }
  return stored;
}

void TimeStepper::restart(State& state, double nominalStep) {
  State next = state;
  // With index 3 the velocities across joints are those of the steps before (9.10), and the start adds its own.
  const bool ok = isIndex3() ? followDriveRates(machine_, next) : calcAccelerations(machine_, next);
  if (!ok) return;
  const bool isFirst = memory_[0].isFirst;
  Eigen::VectorXd stored = calcStored(state);
  state = std::move(next);
  start(state, nominalStep);
  stored -= calcStored(state);
  memory_[0].isFirst = isFirst;
  if (!isFirst && !stored.isZero(0.0)) addStored(stored, state);
}

// Slow motions and states take all of it. Fast ones ring in the filter, and what is on its way there is no impulse of a
// force: as after a jump, they take what a correction of the coming step makes of it.
void TimeStepper::addStored(const Eigen::VectorXd& stored, State& state) {
  beginAt(state);
  assembler_.calcResidual(trial_, residual_);
  StepReport report;
  if (!factors_->isValid && !factorize(trial_, report)) return;
  const Eigen::VectorXd resolved = resolveStored(stored);
  axes_.addTurnOf(state.rate, state.acceleration);
  for (int u = 0; u < resolved.size(); ++u) {
    if (class_[u] <= kRotation) state.rate[u] += resolved[u];
    if (class_[u] == kState) state.value[u] += resolved[u];
  }
  axes_.removeTurnOf(state.rate, state.acceleration);
}

// After calcResidual at the trial.
Eigen::VectorXd TimeStepper::resolveStored(const Eigen::VectorXd& stored) {
  const int n = static_cast<int>(stored.size());
  system::Weights inertia{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n),
                          Eigen::VectorXd::Zero(n), Eigen::VectorXd::Ones(n)};
  for (int u = 0; u < n; ++u) {
    if (class_[u] <= kRotation) inertia.acceleration[u] = 1.0;
    if (class_[u] == kState) inertia.rate[u] = 1.0;
  }
  linalg::SparseMatrix M = assembler_.pattern();
  assembler_.calcIterationMatrix(trial_, inertia, nullptr, M);
  Eigen::VectorXd resolved = M * stored;
  for (int u = 0; u < n; ++u) {
    if (class_[u] == kMultiplier || class_[u] == kSignal) resolved[u] = 0.0;
  }
  followAxes(trial_);
  solveByFactors(resolved);
  for (int u = 0; u < n; ++u) {
    resolved[u] *= class_[u] == kState ? weights_.rate[u] : weights_.acceleration[u];
  }
  return resolved;
}

void TimeStepper::findCentres(const State& state) {
  const bool isNew = massSystem_.mass().cols() == 0;
  if (isNew && !massSystem_.update(state, MassSystem::Use::kKinematics).ok) return;
  axes_.setCentres(massSystem_.mass());
}

void TimeStepper::measureMachine(const State& state) {
  const system::System& system = assembler_.system();
  const bool isNew = massSystem_.mass().cols() == 0;
  if (isNew && !massSystem_.update(state, MassSystem::Use::kKinematics).ok) return;
  const linalg::SparseMatrix& K = massSystem_.stiffness();
  length_ = findMachineSize(system, state, massSystem_.mass());
  partSizes_.measure(state, massSystem_.mass());
  measureInertias();
  calcGradientSizes(system, K, partSizes_.lengths(), gradient_);
  const MeanMasses masses = findMeanMasses(system, massSystem_.mass());
  meanMass_ = masses.move > 0.0 ? masses.move : masses.turn / (length_ * length_);
  positionTerms_.setZero();
  for (int column = 0; column < K.cols(); ++column) {
    if (class_[column] > kRotation) continue;
    const double place = class_[column] == kTranslation ? partSizes_.of(column).length : 1.0;
    for (linalg::SparseMatrix::InnerIterator entry(K, column); entry; ++entry) {
      if (class_[entry.row()] > kMultiplier)
        positionTerms_[entry.row()] += std::abs(entry.value()) * place;
    }
  }
}

bool TimeStepper::calcNearby(const State& state, const Eigen::VectorXd& acceleration, double t,
                             State& at, double latest) {
  const system::System& system = assembler_.system();
  at = state;
  axes_.toCentre(at.rate);
  Eigen::VectorXd dq = t * at.rate + 0.5 * t * t * acceleration;
  for (int u = 0; u < dq.size(); ++u) {
    const Kind kind = system.kinds()[u];
    if (kind == Kind::kMotion) at.rate[u] += t * acceleration[u];
    if (kind == Kind::kMultiplier) dq[u] = 0.0;
  }
  system.advance(state, dq, dq, at);
  axes_.setTurns(state, at);
  axes_.toEnd(at.rate);
  at.time = std::min(at.time + t, latest);
  // With index 3 states that drive a joint err as its motion does, and their third derivative makes no normal velocity.
  const bool isFound =
      isIndex3() ? calcAccelerationsWithoutAnswers(machine_, at) : calcAccelerations(machine_, at);
  if (!isFound) return false;
  axes_.addTurnOf(at.rate, at.acceleration);
  axes_.toStart(at.acceleration);
  return true;
}

// Where the motion of a part is too stiff for the step, the expansion in h has no meaning.
void TimeStepper::dropStiff(const Eigen::VectorXd& acceleration, double h, Eigen::VectorXd& jerk) {
  std::vector<double> size, largest(partSizes_.count(), 0.0);
  for (const PartSize& part : partSizes_.all()) size.push_back(part.translation);
  for (int u = 0; u < jerk.size(); ++u) {
    if (class_[u] > kRotation) continue;
    const int part = partSizes_.part(u);
    const double arm = class_[u] == kRotation ? partSizes_.of(u).length : 1.0;
    size[part] = std::max(size[part], arm * std::abs(acceleration[u]));
    largest[part] = std::max(largest[part], arm * std::abs(jerk[u]));
  }
  for (int p = 0; p < partSizes_.count(); ++p) {
    isStiff_[p] = h * largest[p] > kLargestStartChange * size[p];
  }
  for (int u = 0; u < jerk.size(); ++u) {
    if (class_[u] <= kRotation && isStiff_[partSizes_.part(u)]) jerk[u] = 0.0;
  }
}

// The accelerations of the state are consistent, and a source may jump there.
bool TimeStepper::calcJerk(const State& state, double h, Eigen::VectorXd& jerk) {
  jerk.setZero(state.rate.size());
  const double dt = kJerkShare * h;
  std::array<State, 3> at;
  Eigen::VectorXd acceleration = state.acceleration;
  axes_.addTurnOf(state.rate, acceleration);
  axes_.toCentre(acceleration);
  const std::array<double, 3> times{-dt, dt, -2.0 * dt};
  for (int side = 0; side < 3; ++side) {
    if (!calcNearby(state, acceleration, times[side], at[side])) return false;
  }
  std::vector<int> jumping;
  for (int u = 0; u < jerk.size(); ++u) {
    if (class_[u] == kState) {
      jerk[u] = calcSlope(at[0].rate[u], state.rate[u], at[1].rate[u], dt, h);
    } else if (class_[u] <= kRotation) {
      const double left = at[0].acceleration[u], right = at[1].acceleration[u];
      jerk[u] = (right - left) / (times[1] - times[0]);
      if (hasJumped(at[2].acceleration[u], left, acceleration[u], right)) {
        jerk[u] = (right - acceleration[u]) / dt;
        jumping.push_back(u);
      }
    }
  }
  dropStiff(acceleration, h, jerk);
  for (const int u : jumping) jerk[u] = 0.0;
  axes_.fromCentre(jerk);
  return jerk.allFinite();
}

}  // namespace flexloop::solve
