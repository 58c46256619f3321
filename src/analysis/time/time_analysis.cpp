#include "analysis/time/time_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis/balance/operating_point.hpp"
#include "analysis/time/branch_settlement.hpp"
#include "analysis/time/branch_watch.hpp"
#include "analysis/time/drive_watch.hpp"
#include "analysis/time/energy_watch.hpp"
#include "analysis/time/growth_diagnosis.hpp"
#include "analysis/time/infinite_rates.hpp"
#include "analysis/time/record_clock.hpp"
#include "analysis/time/run_point_check.hpp"
#include "analysis/time/run_watch.hpp"
#include "analysis/time/source_steps.hpp"
#include "analysis/time/step_control.hpp"
#include "analysis/time/step_failure.hpp"
#include "analysis/time/turn_watch.hpp"
#include "solve/redundancy.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {
namespace {

constexpr int kMostHalvings = 10;
constexpr int kMostKinks = 100;     // in one step
constexpr double kLongLag = 4.0;    // nominal step of the lag, relative to the step
constexpr double kRoundOff = 1e-6;  // share of a step
constexpr double kFewSteps = 0.25;  // of all
// Of constraints that contradict each other, relative to the size of the machine or in rad.
constexpr double kLargestGap = 1e-6;

solve::StepperOptions stepperOptions(const TimeSettings& settings) {
  solve::StepperOptions options;
  options.scheme = settings.scheme;
  options.tolerance = settings.newtonTolerance;
  options.maxIterations = settings.maxIterations;
  options.constraints = settings.constraints;
  options.constraintScale = settings.constraintScale;
  options.constraintPenalty = settings.constraintPenalty;
  options.estimatesError = settings.adaptive.enabled;
  return options;
}

std::string describeTime(const char* before, double time) {
  char text[64];
  std::snprintf(text, sizeof text, "%s%.9g s: ", before, time);
  return text;
}

// Second time derivatives of the signals that drive joints, with the sources of a time, in the accelerations of the state.
void calcDriveAccelerations(solve::MassSystem& massSystem, double time, system::State& state) {
  solve::SignalSystem& signals = massSystem.signals();
  if (!signals.hasDrives()) return;
  system::State then = state;
  then.time = time;
  if (!signals.solve(then).empty()) return;
  signals.calcRates(then);
  signals.calcSecondRates(then);
  for (const solve::SignalSystem::Drive& drive : signals.drives()) {
    state.acceleration[drive.signal] = then.acceleration[drive.signal];
  }
  for (const int u : signals.states()) state.acceleration[u] = then.acceleration[u];
}

class TimeRun {
 public:
  TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
          const RunPlan& plan)
      : model_(model),
        settings_(settings),
        observer_(observer),
        plan_(plan),
        assembler_(model.system()),
        stepper_(assembler_, stepperOptions(settings)),
        state_(model.start()),
        sources_(model.system(), state_, settings.end),
        control_(sources_.limit(settings), model.system().breaks(), model.system().clocks(),
                 model.system().periodicBreaks()),
        turns_(model.system()),
        recordClock_(settings.record) {}

  TimeReport run() {
    if (start()) report_.ok = stepToEnd();
    // The last state before a failure shows best what has failed.
    // What a box has left behind is no state to be shown.
    const bool isShown = isUnsolved_ && assembler_.fault().empty();
    if (isShown && watch_ && state_.time > lastRecord_) record();
    report_.time = state_.time;
    report_.chatteringSteps = modes_->chatter().chatteringSteps();
    report_.firstChatter = modes_->chatter().firstTime();
    noteChatter();
    warnOfCoarseSteps();
    for (std::string& note : turns_.notes()) report_.notes.push_back(std::move(note));
    watchEnergy();
    report_.energy = energy_.report(model_.isConservative());
    judgeRun();
    return report_;
  }

 private:
  bool start() {
    const solve::RedundancyReport redundancy = solve::analyzeRedundancy(assembler_, state_);
    stepper_.setRedundancy(redundancy);
    modes_.emplace(assembler_);
    compareWithSources();
    const double begin = plan_.from != nullptr ? plan_.from->state.time : state_.time;
    if (const std::string trouble = describeInfiniteRate(assembler_, begin, settings_.end);
        !trouble.empty()) {
      return fail(trouble);
    }
    if (plan_.from != nullptr) return resume(*plan_.from);
    if (settings_.start != model::OperatingPoint::Kind::kInitial) {
      if (!startAtRest()) return false;
    } else {
      report_.start = solve::makeConsistent(assembler_, stepper_.massSystem(), state_);
      if (!report_.start.ok) return fail("at the start: " + report_.start.trouble);
    }
    if (!settle(control_.dueAtStart(), state_.time)) return false;
    observer_.onStart(report_.start);
    record();
    watch_.emplace(model_, state_, settings_.end);
    startsAnew_ = true;
    return true;
  }

  // Or in steady motion.
  bool startAtRest() {
    OperatingState rest = findOperatingPoint(model_, {settings_.start, 0.0});
    report_.start.ok = rest.ok;
    report_.start.trouble = rest.trouble;
    for (std::string& note : rest.notes) report_.notes.push_back(std::move(note));
    state_ = std::move(rest.state);
    if (rest.ok) return true;
    fail("at the start: " + rest.trouble);
    report_.hint = rest.hint;
    return false;
  }

  void compareWithSources() {
    const bool isAdaptive = settings_.adaptive.enabled;
    modes_->setLongestBlindStep(
        sources_.findBlindStep(isAdaptive ? settings_.adaptive.maxStep : settings_.step));
    const std::string note =
        sources_.describeMissed(isAdaptive ? settings_.adaptive.minStep : settings_.step);
    if (!note.empty()) report_.notes.push_back(note);
  }

  bool resume(const RunPoint& point) {
    checkPoint(model_, point);
    state_ = point.state;
    try {
      stepper_.restore(point.stepper);
    } catch (const std::invalid_argument&) {
      refusePoint("what the time scheme remembers");
    }
    control_.restore(point.control);
    recordClock_.restore(point.clock);
    modes_->chatter().restore(point.chatter);
    startsAnew_ = !point.start.empty();
    passCheckpoints();
    report_.start.ok = true;
    observer_.onStart(report_.start);
    record();
    watch_.emplace(model_, state_, settings_.end);
    return true;
  }

  // Whether there are any up to now that have not been passed.
  bool passCheckpoints() {
    const std::size_t before = nextCheckpoint_;
    while (nextCheckpoint_ < plan_.checkpoints.size() &&
           plan_.checkpoints[nextCheckpoint_] <= state_.time + kRoundOff * settings_.step) {
      ++nextCheckpoint_;
    }
    return nextCheckpoint_ > before;
  }

  void takeCheckpoints() {
    if (!passCheckpoints()) return;
    std::vector<double> start;
    if (startsAnew_) start = {1.0};
    observer_.onCheckpoint({state_, stepper_.memory(), control_.position(), recordClock_.position(),
                            modes_->chatter().position(), start});
  }

  bool stepToEnd() {
    while (!control_.done()) {
      const StepTarget target = control_.next(state_.time);
      if (std::exchange(startsAnew_, false)) stepper_.start(state_, control_.nominal());
      stepper_.setNominalStep(control_.nominal());
      Walk walk;
      walk.shortest = control_.shortest();
      // Where a source jumps, the step ends with its old value and the next begins with the new one.
      const double end = target.before;
      if (!advance(target.length, end, walk)) return false;
      if (!walk.isTakenBack && !walk.kink.isAtStart) walk.isTakenBack = adapt(walk);
      const bool isWhole = !walk.isTakenBack && !walk.hasFailed && !walk.kink.isAtStart;
      if (isWhole && !locate(target.length, end, walk)) return false;
      if (!walk.isTakenBack && !accept(target, walk)) return false;
      if (!isToGoOn()) return false;
    }
    return true;
  }

  bool isToGoOn() {
    report_.stopped = !observer_.onStep(state_.time);
    return !report_.stopped;
  }

  // How the way to a target went, and what holds on it.
  struct Walk {
    double shortest = 0.0;       // no part of it may be shorter
    int halvings = 0;            // so far
    bool hasFailed = false;      // steps were halved
    bool isInterrupted = false;  // a branch has ended before the target
    bool isTakenBack = false;    // it failed, and another target will be nearer
    bool hasBlow = false;        // the velocity of a drive has jumped on it
    // Where it ends, before its target or at it, because the velocity of a drive jumps there.
    struct Kink {
      bool isFound = false, isAtStart = false;
      double before = 0.0, after = 0.0;
    } kink;
  };

  bool accept(const StepTarget& target, Walk& walk) {
    endStep(target, walk);
    watch_->addStep(state_, stepper_, assembler_);
    if (!goOn(target, walk)) return false;
    const bool isDue = !walk.isInterrupted && recordClock_.isDue(target);
    if (isDue || control_.done()) record();
    if (!walk.isInterrupted) takeCheckpoints();
    return true;
  }

  void endStep(const StepTarget& target, Walk& walk) {
    if (walk.kink.isFound) {
      ++report_.events;
      lastKink_ = walk.kink.after;
      walk.isInterrupted = target.time - walk.kink.after > walk.shortest;
      if (walk.isInterrupted) state_.time = walk.kink.after;
      ++kinksOfStep_;
    }
    if (walk.isInterrupted) {
      control_.interrupt(state_.time);
    } else {
      kinksOfStep_ = 0;
      state_.time = target.time;
      modes_->endStep();
    }
  }

  // Ends the step where a branch ends inside of it.
  bool locate(double length, double end, Walk& walk) {
    if (walk.kink.isFound) length = state_.time - stepper_.previous().time;
    const BranchWatch::Location location = modes_->locate(stepper_, state_, length, walk.shortest);
    report_.iterations += location.iterations;
    report_.factorizations += location.factorizations;
    if (location.search == BranchWatch::Search::kFailed) {
      --report_.steps;
      return halve(length, end, walk,
                   "no step ends where " +
                       (location.block.empty() ? "a block" : "the block '" + location.block + "'") +
                       " switches: " + location.trouble);
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

  // Lets signals jump and branches switch at the end of a step, where they have to.
  bool goOn(const StepTarget& target, const Walk& walk) {
    if (walk.hasBlow && !walk.kink.isFound) resumeAfterBlow();
    const bool isInterrupted = walk.isInterrupted;
    const bool isBreak = target.isBreak && !isInterrupted;
    if (!isBreak && !walk.kink.isFound && !modes_->haveEnded(state_)) return true;
    double before = isBreak ? target.before : state_.time;
    if (walk.kink.isFound) before = walk.kink.before;
    if (modes_->hasDelays() && !isInterrupted) {
      modes_->sharpen(stepper_.massSystem().signals(), before, state_);
    }
    // What is sampled sees the branches of its instant.
    const bool isSampled = isBreak && !target.dueClocks.empty();
    if (isSampled && modes_->haveEnded(state_) && !settle({}, before)) return false;
    return settle(isBreak ? target.dueClocks : std::vector<bool>(), before);
  }

  // Jumps of any size and origin are taken over by the scheme (9.14); it starts anew only where velocities jump.
  bool settle(const std::vector<bool>& dueClocks, double timeBefore) {
    stepper_.forget(state_, timeBefore);
    system::State before = state_;
    calcDriveAccelerations(stepper_.massSystem(), timeBefore, before);
    const Settlement settlement =
        settleBranches(assembler_, stepper_.massSystem(), state_, dueClocks, timeBefore);
    if (!settlement.trouble.empty()) return failToSolve(settlement.trouble);
    // Tangents of the other branch would leave an output beside the limit at which it is held.
    if (settlement.tangentsJump) stepper_.renewTangents();
    if (settlement.velocitiesJump) {
      startsAnew_ = true;
    } else if (settlement.restarted) {
      resumeAfter(before, settlement.slopesJump);
    }
    return true;
  }

  void resumeAfter(const system::State& before, bool slopesJump) {
    if (!stepper_.massSystem().signals().hasDrives()) {
      return stepper_.resume(state_, before, slopesJump);
    }
    // Both with the same accelerations of the machine.
    system::State after = state_;
    after.acceleration = before.acceleration;
    calcDriveAccelerations(stepper_.massSystem(), state_.time, after);
    const solve::SignalSystem& signals = stepper_.massSystem().signals();
    for (const auto& drive : signals.drives()) {
      state_.acceleration[drive.signal] = after.acceleration[drive.signal];
    }
    for (const int u : signals.states()) state_.acceleration[u] = after.acceleration[u];
    stepper_.resume(state_, before, slopesJump);
  }

  // Chooses the length of the next step; true if the last one was taken back.
  bool adapt(const Walk& walk) {
    if (walk.hasFailed) return false;
    const double error = stepper_.localError();
    const bool rejected = control_.rejects(error);
    if (rejected) {
      stepper_.reject(state_);
      ++report_.rejectedSteps;
      --report_.steps;
    } else if (control_.exceeds(error)) {
      ++coarseSteps_;
    }
    // A step that a kink has cut tells nothing of others.
    if (rejected || !walk.kink.isFound) control_.adaptTo(error);
    if (rejected) shortenLag(control_.nominal());
    return rejected;
  }

  void noteChatter() {
    if (modes_->chatteringBlock().empty()) return;
    report_.notes.push_back(describeTime("from t = ", report_.firstChatter) + "the block '" +
                            modes_->chatteringBlock() +
                            "' switches too often for its events to be located; a hysteresis or a "
                            "lag in its loop ends that");
  }

  // A few are usual where a motion begins.
  void warnOfCoarseSteps() {
    if (static_cast<double>(coarseSteps_) <= kFewSteps * static_cast<double>(report_.steps)) return;
    report_.notes.push_back(std::to_string(coarseSteps_) +
                            " steps of the shortest length err more than the tolerance; a smaller "
                            "'min_step' keeps it");
  }

  // One step of the length, or two halves of it where it fails. Branches that end inside of a whole step
  // are looked for later, when its error is known to be small.
  bool advance(double length, double end, Walk& walk) {
    modes_->beginStep(state_);
    const solve::StepReport step = stepper_.step(state_, length, end);
    report_.iterations += step.iterations;
    report_.factorizations += step.factorizations;
    const std::string fault = assembler_.fault();
    // A box without a result for a trial is no fault yet.
    if (!step.converged) {
      failure_ = step;
      return halve(length, end, walk, fault.empty() ? step.trouble : fault);
    }
    if (!fault.empty()) return fail(describeTime("at t = ", state_.time) + fault);
    ++report_.steps;
    watch_->addIteration(step, state_.time);
    if (!settings_.adaptive.enabled) turns_.add(state_, length, stepper_);
    return isFreeOfContradiction() && areDrivesSteady(walk) && areVelocitiesBounded() &&
           (walk.halvings == 0 || locate(length, end, walk));
  }

  bool halve(double length, double end, Walk& walk, const std::string& trouble) {
    ++report_.failedSteps;
    // Steps that follow their error are to be judged like all others, so they are not halved unseen.
    if (control_.takeBackFailure()) {
      walk.isTakenBack = true;
      shortenLag(control_.nominal());
      return true;
    }
    walk.hasFailed = true;
    if (walk.halvings == kMostHalvings) {
      const bool isOfStep = trouble == failure_.trouble;
      return failToSolve(isOfStep ? explainFailure(model_.system(), failure_, length) : trouble);
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
  void shortenLag(double step) {
    if (stepper_.nominalStep() <= kLongLag * step) return;
    stepper_.restart(state_, step);
    stepper_.setNominalStep(control_.nominal());
  }

  bool isFreeOfContradiction() {
    const int open = stepper_.findContradiction(state_, kLargestGap);
    if (open < 0) return true;
    const std::string equation = model_.system().equationName(system::UnknownIndex{open});
    return fail(
        describeTime("at t = ", state_.time) + "the joints contradict each other; '" + equation +
        "' cannot be satisfied\n" +
        "joints and drives that hold the same motion have to agree at all times: leave one of "
        "them out, or drive them alike");
  }

  bool areVelocitiesBounded() {
    const solve::TimeStepper::Growth growth = stepper_.growth();
    if (growth.constraint < 0) return true;
    char turn[64];
    std::snprintf(turn, sizeof turn, "; a body turns by %.2g rad in a step", growth.turn);
    fail(describeTime("at t = ", state_.time) + "with index 3 the velocities across '" +
         model_.system().equationName(system::UnknownIndex{growth.constraint}) +
         "' grow from step to step" + turn);
    report_.hint =
        "'constraints: index2' keeps them zero; 'formulation: se3', a smaller step or a smaller "
        "rho help too";
    return false;
  }

  // Where the velocity of a drive jumps, the step is taken anew up to there, so that what follows begins with the new one.
  bool areDrivesSteady(Walk& walk) {
    solve::SignalSystem& signals = stepper_.massSystem().signals();
    if (!signals.hasDrives()) return true;
    for (int kinks = 0; !walk.kink.isAtStart; ++kinks) {
      const DriveJumps jumps =
          findDriveJumps(model_.system(), signals, stepper_.previous(), state_);
      if (!jumps.position.empty())
        return fail(describeTime("at t = ", state_.time) + jumps.position);
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

  bool endBefore(const DriveJumps& jumps, Walk& walk) {
    const double begin = stepper_.previous().time, length = jumps.before - begin;
    stepper_.reject(state_);
    --report_.steps;
    walk.kink = {true, length < walk.shortest, jumps.before, jumps.after};
    if (walk.kink.isAtStart) return true;
    const solve::StepReport step = stepper_.step(state_, length, jumps.before);
    report_.iterations += step.iterations;
    report_.factorizations += step.factorizations;
    if (!step.converged) return halve(length, jumps.before, walk, step.trouble);
    ++report_.steps;
    return true;
  }

  // Velocities follow the drives at once, and what is left of the blow is forgotten.
  void resumeAfterBlow() {
    stepper_.restart(state_, control_.nominal());
    startsAnew_ = solve::followDriveRates(assembler_, stepper_.massSystem(), state_);
  }

  void warnOfKink(const DriveJumps& jumps) {
    if (std::exchange(hasDriveKink_, true)) return;
    report_.notes.push_back(describeTime("at t = ", jumps.after) + jumps.velocity +
                            ": the blow that this takes is not part of the forces; prescribe a "
                            "smooth motion");
  }

  // A second line is what helps.
  bool fail(const std::string& trouble) {
    const std::size_t line = trouble.find('\n');
    report_.trouble = trouble.substr(0, line);
    if (line != std::string::npos) report_.hint = trouble.substr(line + 1);
    return false;
  }

  // The equations have no solution, or none that is found.
  bool failToSolve(const std::string& trouble) {
    isUnsolved_ = true;
    unsolved_ = trouble.substr(0, trouble.find('\n'));
    return fail(describeTime("at t = ", state_.time) + trouble);
  }

  void judgeRun() {
    if (!watch_) return;
    watch_->addLast(state_);
    report_.health = watch_->report();
    RunHealth& health = report_.health;
    health.steps = report_.steps;
    health.halvedSteps = report_.failedSteps;
    health.rejectedSteps = report_.rejectedSteps;
    health.coarseSteps = coarseSteps_;
    health.isAdaptive = settings_.adaptive.enabled;
    health.turnsFar = !turns_.notes().empty();
    if (report_.energy.isConservative) health.dissipation = report_.energy.dissipatedShare;
    const RunEnd end{.kind = report_.ok    ? RunEnd::kRegular
                             : isUnsolved_ ? RunEnd::kUnsolved
                                           : RunEnd::kOther,
                     .time = state_.time,
                     .step = control_.nominal(),
                     .hasGained = energy_.hasGained()};
    explainByGrowth(model_, watch_->growth(), end, health);
    if (!isUnsolved_ || !health.growth) return;
    report_.trouble = describeTime("at t = ", state_.time) + health.growth->text +
                      "; the last step fails: " + unsolved_;
    report_.hint = health.growth->hint;
  }

  void record() {
    const system::State& shown = isNoisy() ? shown_ : state_;
    model_.outputs().calc(assembler_.calcMotion(shown), outputs_);
    observer_.onRecord(shown, outputs_);
    lastRecord_ = state_.time;
    if (energy_.isEmpty() || (model_.isConservative() && energy_.isDue())) watchEnergy();
  }

  // Where accelerations and forces of very short steps drown in the round-off of positions, those that belong to the
  // positions and velocities are recorded.
  bool isNoisy() {
    if (report_.steps == 0 || !stepper_.isNoisy(control_.lastLength())) return false;
    shown_ = state_;
    return solve::calcAccelerations(assembler_, stepper_.massSystem(), shown_);
  }

  void watchEnergy() { energy_.add(assembler_.calcEnergy(state_)); }

  const model::Model& model_;
  const TimeSettings& settings_;
  Observer& observer_;
  const RunPlan& plan_;
  system::Assembler assembler_;
  solve::TimeStepper stepper_;
  system::State state_, shown_;
  SourceSteps sources_;
  StepControl control_;
  TurnWatch turns_;
  RecordClock recordClock_;
  std::size_t nextCheckpoint_ = 0;
  std::vector<double> outputs_;
  double lastRecord_ = 0.0;                                     // [s]
  std::optional<BranchWatch> modes_;                            // from the start on
  bool hasDriveKink_ = false;                                   // and it has been said
  double lastKink_ = -std::numeric_limits<double>::infinity();  // [s]
  bool startsAnew_ = false;  // whether the scheme starts in the next step
  int kinksOfStep_ = 0;
  EnergyWatch energy_;
  std::optional<RunWatch> watch_;  // from the start on
  solve::StepReport failure_;      // of the last step that did not converge
  bool isUnsolved_ = false;        // a step has no solution
  std::string unsolved_;           // why
  std::int64_t coarseSteps_ = 0;   // of the shortest length, that err more than the tolerance
  TimeReport report_;
};

}  // namespace

TimeReport runTime(const model::Model& model, const TimeSettings& settings, Observer& observer,
                   const RunPlan& plan) {
  return TimeRun(model, settings, observer, plan).run();
}

}  // namespace flexloop::analysis
