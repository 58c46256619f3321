// How a run takes its steps: one of the length that is due, or shorter ones where that fails, errs too much or leads past the
// end of a branch.
#include <cstdio>

#include "analysis/time/time_run.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kMostHalvings = 10;
constexpr double kLongLag = 4.0;  // nominal step of the lag, relative to the step
// Of constraints that contradict each other, relative to the size of the machine or in rad.
constexpr double kLargestGap = 1e-6;

}  // namespace

// One step of the length, or two halves of it where it fails. Branches that end inside of a whole step
// are looked for later, when its error is known to be small.
bool TimeRun::advance(double length, double end, Walk& walk) {
  listNear(length);
  modes_->beginStep(state_);
  const solve::StepReport step = stepper_->step(state_, length, end);
  report_.iterations += step.iterations;
  report_.factorizations += step.factorizations;
  const auto fault = assembler_.fault();
  // A box without a result for a trial is no fault yet.
  if (step.failure) {
    failedStep_ = step;
    return halve(length, end, walk, fault.value_or(*step.failure));
  }
  if (fault) return failNow(*fault);
  if (assembler_.gathers() &&
      !system::areListsSufficient(assembler_.gatherings(), assembler_.calcMotion(state_), 0.0)) {
    stepper_->reject(state_);
    return halve(length, end, walk,
                 base::numericalFailure("spheres of a group move further in a step than their size",
                                        "use smaller steps"));
  }
  ++report_.steps;
  watch_->addIteration(step, state_.time);
  if (!settings_.adaptive.enabled) turns_.add(state_, length, *stepper_);
  bends_.add(state_);
  return isFreeOfContradiction() && areDrivesSteady(walk) && areVelocitiesBounded() &&
         (walk.halvings == 0 || locate(length, end, walk));
}

// What may touch within the step.
void TimeRun::listNear(double length) {
  if (!assembler_.gathers()) return;
  const system::Motion& motion = assembler_.calcMotion(state_);
  if (system::areListsSufficient(assembler_.gatherings(), motion, length)) return;
  system::renewLists(assembler_.gatherings(), motion, length, state_);
}

bool TimeRun::halve(double length, double end, Walk& walk, const base::Failure& failure) {
  ++report_.failedSteps;
  // Steps that follow their error are to be judged like all others, so they are not halved unseen.
  if (control_.takeBackFailure()) {
    walk.isTakenBack = true;
    shortenLag(control_.nominal());
    return true;
  }
  walk.hasFailed = true;
  if (walk.halvings == kMostHalvings) {
    const bool isOfStep = failedStep_.failure && failure.message == failedStep_.failure->message;
    return failToSolve(isOfStep ? explainStep(length) : failure);
  }
  if (!isToGoOn()) return false;
  const double half = 0.5 * length;
  ++walk.halvings;
  shortenLag(half);
  const bool ok =
      advance(half, state_.time + half, walk) && (walk.isInterrupted || advance(half, end, walk));
  --walk.halvings;
  return ok;
}

// The lag of the scheme follows the steps, but no faster than fast modes decay. Where steps have to become so short
// at once that it would rule what they err and whether they converge, the scheme starts anew with another one.
void TimeRun::shortenLag(double step) {
  if (stepper_->nominalStep() <= kLongLag * step) return;
  stepper_->restart(state_, step);
  stepper_->setNominalStep(control_.nominal());
}

// Chooses the length of the next step; true if the last one was taken back.
bool TimeRun::adapt(const Walk& walk) {
  if (walk.hasFailed) return false;
  const double error = stepper_->localError();
  const bool rejected = control_.rejects(error);
  if (rejected) {
    stepper_->reject(state_);
    ++report_.rejectedSteps;
    --report_.steps;
  } else if (control_.exceeds(error)) {
    ++coarseSteps_;
  }
  // A step that a kink has cut says nothing about others.
  if (rejected || !walk.kink.isFound) control_.adaptTo(error);
  if (rejected) shortenLag(control_.nominal());
  return rejected;
}

// Ends the step where a branch ends inside of it.
bool TimeRun::locate(double length, double end, Walk& walk) {
  if (walk.kink.isFound) length = state_.time - stepper_->previous().time;
  const BranchWatch::Location location = modes_->locate(*stepper_, state_, length, walk.shortest);
  report_.iterations += location.iterations;
  report_.factorizations += location.factorizations;
  if (location.search == BranchWatch::Search::kFailed) {
    --report_.steps;
    const std::string block =
        location.block.empty() ? "a block" : "the block '" + location.block + "'";
    return halve(length, end, walk,
                 base::numericalFailure("no step could be found that ends where " + block +
                                        " switches: " + location.reason));
  }
  walk.isInterrupted = location.search == BranchWatch::Search::kFound;
  if (walk.isInterrupted) {
    ++report_.events;
    // A kink comes later.
    if (walk.kink.isFound) walk.hasBlow = false;
    walk.kink = {};
  }
  return true;
}

bool TimeRun::isFreeOfContradiction() {
  const int open = stepper_->findContradiction(state_, kLargestGap);
  if (open < 0) return true;
  const std::string equation = model_.system().equationName(system::UnknownIndex{open});
  return failNow(
      base::numericalFailure("the joints are in conflict; '" + equation + "' cannot be satisfied",
                             "joints and drives that constrain the same motion must agree at all "
                             "times: remove one of them, or drive them consistently"));
}

bool TimeRun::areVelocitiesBounded() {
  const solve::TimeStepper::Growth growth = stepper_->growth();
  if (growth.constraint < 0) return true;
  char turn[64];
  std::snprintf(turn, sizeof turn, "; a body turns by %.2g rad in a step", growth.turn);
  return failNow(base::numericalFailure(
      "with index 3 the velocities across '" +
          model_.system().equationName(system::UnknownIndex{growth.constraint}) +
          "' grow from step to step" + turn,
      "use 'constraints: index2', which keeps them zero; 'formulation: se3', a smaller step or a "
      "smaller rho may also help"));
}

}  // namespace flexloop::analysis
