// What the last step errs, which adaptive steps follow (docs/theory/09_time.md, section 9.7).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::State;

namespace {

// Turns of a body in one step [rad]: from which on accelerations that turn with it are looked for, and over which.
constexpr double kFarTurn = 0.5, kSmallTurn = 0.1;
constexpr double kLastDigits = 16.0 * std::numeric_limits<double>::epsilon();
// Velocities across constraints, as shares of those of the machine: too large, and none at all beside what turns, at a
// distance as large as the machine. For so many steps in a row.
constexpr double kLargeNormal = 0.3, kNoNormal = 1e-3;
constexpr int kLargeSteps = 10;
// A turn in a step [rad] that leaves normal velocities normal.
constexpr double kNoTurn = 0.1;

}  // namespace

// (9.19): the error of the position, and as much again for that of the velocity.
double TimeStepper::calcMotionError(const State& from) {
  errors_ = (vectors_.algorithmic - startAlgorithmic_).cwiseAbs();
  followTurns(from, errors_);
  const double factor = 2.0 * calcErrorConstant(options_.scheme.motion.filterError());
  errors_ *= factor;
  const double error = reach_.judge(trial_, errors_);
  return calcRelativeError(from, factor, error);
}

// The larger of it and others. Modes that are fast on the scale of the step are looked at more closely only where their
// accelerations ask for it.
double TimeStepper::calcRelativeError(const State& from, double factor, double others) {
  RelativeMotion& relative = reach_.relative();
  findOpenAccelerations();
  relative.compare(from, trial_, factor, open_);
  isJudged_.assign(relative.layers(), false);
  double largest = others;
  for (;;) {
    int worst = -1;
    for (int layer = 0; layer < relative.layers(); ++layer) {
      if (isJudged_[layer] || relative.error(layer) <= largest) continue;
      if (worst < 0 || !(relative.error(layer) <= relative.error(worst))) worst = layer;
    }
    if (worst < 0) return largest;
    isJudged_[worst] = true;
    relative.write(worst, trial_, errors_);
    filterStiff(errors_);
    // It only takes away; a node of little mass may be given more.
    const double left = relative.judge(worst, trial_, errors_, factor, open_);
    const double error = std::min(relative.error(worst), left);
    largest = error <= largest ? largest : error;
  }
}

// (9.24): what a correction of the step makes of changes of accelerations in the body axes of its end.
void TimeStepper::filterStiff(Eigen::VectorXd& changes) {
  delta_ = trial_.acceleration;
  trial_.acceleration += changes;
  assembler_.calcResidual(trial_, changes);
  trial_.acceleration.swap(delta_);
  assembler_.calcResidual(trial_, residual_);
  for (int u = 0; u < changes.size(); ++u) {
    changes[u] = class_[u] <= kRotation ? key_[2] * (changes[u] - residual_[u]) : 0.0;
  }
  solveByFactors(changes);
}

// The tolerance is one of root mean squares, all of which one node may have.
void TimeStepper::findOpenAccelerations() {
  open_.clear();
  for (const PartSize& size : partSizes_.all()) {
    const double noise = calcNoise(size);
    open_.push_back(
        {options_.tolerance * size.translation * std::sqrt(size.translations) + noise,
         options_.tolerance * size.rotation * std::sqrt(size.rotations) + noise / size.length});
  }
}

double TimeStepper::findLargestTurn() const {
  double turn = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] == kRotation) turn = std::max(turn, std::abs(increment_[u]));
  }
  return turn;
}

// Accelerations that turn with a body come back after a whole turn, and their difference over the step tells nothing.
// There the derivative at the start of the step takes its place, from motions over a small part of a turn.
void TimeStepper::followTurns(const State& from, Eigen::VectorXd& changes) {
  const double turn = findLargestTurn();
  if (turn <= kFarTurn) return;
  const double dt = step_.h * kSmallTurn / turn;
  State now, soon;
  if (calcNearby(from, startAcceleration_, 0.0, now) &&
      calcNearby(from, startAcceleration_, dt, soon)) {
    for (int u = 0; u < changes.size(); ++u) {
      if (class_[u] > kRotation) continue;
      const double change = step_.h / dt * std::abs(soon.acceleration[u] - now.acceleration[u]);
      changes[u] = std::max(changes[u], change);
    }
  }
  State end = trial_;
  axes_.setTurns(from, end);
}

// (9.20) with (9.21)
double TimeStepper::calcStateError(const State& from) const {
  const double h = step_.h, before = memory_[0].step;
  const double C = calcErrorConstant(options_.scheme.state.filterError());
  double largest = 0.0;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] != kState) continue;
    const double now = (trial_.rate[u] - from.rate[u]) / h;
    const double then = (from.rate[u] - jump_[u] - memory_[0].acceleration[u]) / before;
    const double error = C * h * 2.0 * std::abs(now - then) / (h + before);
    // What cannot be distinguished from the last digits of the state, and of the positions that it follows, is no error.
    const double told =
        error - kLastDigits * std::max(seen_[u], weights_.value[u] * positionTerms_[u]);
    if (told <= 0.0) continue;
    const double share = told / std::max(seen_[u], std::abs(trial_.value[u]));
    largest = share <= largest ? largest : share;
  }
  return largest;
}

// By (9.10) normal velocities are a small share of all others, of second order. Where a body turns far in a step and little is
// damped, what is left of them from the step before is no longer normal to the constraints, and they feed each other.
void TimeStepper::watchNormalVelocities() {
  const double turn = findLargestTurn();
  const int large = turn > kNoTurn ? findLargeNormalVelocity() : -1;
  largeSteps_ = large < 0 ? 0 : largeSteps_ + 1;
  growth_ = {largeSteps_ < kLargeSteps ? -1 : large, turn};
}

int TimeStepper::findLargeNormalVelocity() {
  for (const system::Node& node : assembler_.system().nodes()) {
    if (node.count == 0) continue;
    double move = 0.0, turn = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      (class_[u] == kRotation ? turn : move) += trial_.rate[u] * trial_.rate[u];
    }
    const int part = partSizes_.part(node.firstUnknown);
    speed_[part] = std::max(speed_[part], std::sqrt(move));
    spin_[part] = std::max(spin_[part], std::sqrt(turn));
  }
  assembler_.calcConstraintRates(errors_);
  int worst = -1;
  double most = kLargeNormal;
  for (const int u : multipliers_) {
    if (u >= moves_.size()) continue;
    const double length = partSizes_.of(u).length, speed = speed_[partSizes_.part(u)];
    const double spin = std::max(spin_[partSizes_.part(u)], speed / length);
    const double move = moves_[u] * speed, turn = turns_[u] * spin;
    const double rate = std::abs(errors_[u]);
    if (rate <= kNoNormal * (move + turn + moves_[u] * length * spin)) continue;
    const double share = rate / (moves_[u] > 0.0 ? move : turn);
    if (!(share > most)) continue;
    most = share;
    worst = u;
  }
  for (const SignalSystem::Drive& drive : massSystem_.signals().drives()) {
    if (drive.constraint == worst) worst = -1;  // driven velocities are no error
  }
  return worst;
}

OpenAccelerations TimeStepper::openAccelerations(int unknown) const {
  const PartSize& size = partSizes_.of(unknown);
  const double noise = calcNoise(size);
  return {options_.tolerance * size.translation + noise,
          options_.tolerance * size.rotation + noise / size.length};
}

}  // namespace flexloop::solve
