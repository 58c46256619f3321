// What signals that drive joints do in a run: they may jump, in their velocity or in their acceleration.
#include <utility>

#include "analysis/time/time_run.hpp"
#include "solve/initial_conditions.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kMostKinks = 100;  // in one step

}  // namespace

// Where the velocity of a drive jumps, the step is taken anew up to there, so that what follows begins with the new one.
bool TimeRun::areDrivesSteady(Walk& walk) {
  solve::SignalSystem& signals = stepper_->massSystem().signals();
  if (!signals.hasDrives()) return true;
  for (int kinks = 0; !walk.kink.isAtStart; ++kinks) {
    const DriveJumps jumps = findDriveJumps(model_.system(), signals, stepper_->previous(), state_);
    if (jumps.position) return failNow(*jumps.position);
    if (jumps.velocity.empty()) break;
    // What depends on motions and states is not known before the step.
    const bool isLocated = signals.areDrivesGivenByTime() && walk.halvings == 0 &&
                           jumps.before > lastKink_ + walk.shortest &&
                           kinks + kinksOfStep_ < kMostKinks;
    warnOfKink(jumps);
    walk.hasBlow = true;
    if (!isLocated) break;
    if (!endBefore(jumps, walk)) return false;
    if (walk.isTakenBack || walk.hasFailed) break;
  }
  return true;
}

bool TimeRun::endBefore(const DriveJumps& jumps, Walk& walk) {
  const double begin = stepper_->previous().time, length = jumps.before - begin;
  stepper_->reject(state_);
  --report_.steps;
  walk.kink = {true, length < walk.shortest, jumps.before, jumps.after};
  if (walk.kink.isAtStart) return true;
  const solve::StepReport step = stepper_->step(state_, length, jumps.before);
  report_.iterations += step.iterations;
  report_.factorizations += step.factorizations;
  if (step.failure) return halve(length, jumps.before, walk, *step.failure);
  ++report_.steps;
  return true;
}

void TimeRun::warnOfKink(const DriveJumps& jumps) {
  if (std::exchange(hasDriveKink_, true)) return;
  report_.notes.push_back(
      describeTime("at t = ", jumps.after) + jumps.velocity +
      ": the resulting impulse is not included in the forces; prescribe a smooth motion");
}

// Velocities follow the drives at once, and what is left of the blow is forgotten.
void TimeRun::resumeAfterBlow() {
  stepper_->restart(state_, control_.nominal());
  startsAnew_ = solve::followDriveRates(*machine_, state_);
}

void TimeRun::resumeAfter(const system::State& before, bool slopesJump) {
  if (!stepper_->massSystem().signals().hasDrives()) {
    return stepper_->resume(state_, before, slopesJump);
  }
  // Both with the same accelerations of the machine.
  system::State after = state_;
  after.acceleration = before.acceleration;
  calcDriveAccelerations(state_.time, after);
  const solve::SignalSystem& signals = stepper_->massSystem().signals();
  for (const auto& drive : signals.drives()) {
    state_.acceleration[drive.signal] = after.acceleration[drive.signal];
  }
  for (const int u : signals.states()) state_.acceleration[u] = after.acceleration[u];
  stepper_->resume(state_, before, slopesJump);
}

// Second time derivatives of the signals that drive joints, with the sources of a time, in the accelerations of the state.
void TimeRun::calcDriveAccelerations(double time, system::State& state) {
  solve::SignalSystem& signals = stepper_->massSystem().signals();
  if (!signals.hasDrives()) return;
  system::State then = state;
  then.time = time;
  if (signals.solve(then)) return;
  signals.calcRates(then);
  signals.calcSecondRates(then);
  for (const solve::SignalSystem::Drive& drive : signals.drives()) {
    state.acceleration[drive.signal] = then.acceleration[drive.signal];
  }
  for (const int u : signals.states()) state.acceleration[u] = then.acceleration[u];
}

}  // namespace flexloop::analysis
