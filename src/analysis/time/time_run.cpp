#include "analysis/time/time_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analysis/time/branch_settlement.hpp"
#include "analysis/time/infinite_rates.hpp"
#include "analysis/time/run_point_check.hpp"
#include "solve/consistent_accelerations.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/signal_jumps.hpp"
#include "solve/switch_settlement.hpp"

namespace flexloop::analysis {
namespace {

constexpr double kRoundOff = 1e-6;  // share of a step
constexpr int kMostRounds = 20;
// Of a step: what is violent and lasts for less is a blow.
constexpr double kBlow = 0.1;
constexpr int kMostCuts = 10;  // of a blow in halves, until a branch ends in the last of them

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

// Of steps that go on as long as they are asked for.
constexpr double kManySteps = 1e15;

model::TimeSettings withEnd(model::TimeSettings settings, double end) {
  settings.end = end;
  return settings;
}

// The rest, or the steady motion, from which the run starts, if it does.
std::optional<OperatingState> findRest(const model::Model& model, const TimeSettings& settings,
                                       const RunPlan& plan) {
  if (plan.from != nullptr || settings.start == model::OperatingPoint::Kind::kInitial) return {};
  return findOperatingPoint(model, {settings.start, 0.0});
}

}  // namespace

TimeRun::TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
                 const RunPlan& plan)
    : TimeRun(model, settings, observer, plan, model.start(), settings.end) {}

TimeRun::TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
                 const RunPlan& plan, const system::State& start)
    : TimeRun(model, settings, observer, plan, start, kManySteps * settings.step) {}

TimeRun::TimeRun(const model::Model& model, const TimeSettings& settings, Observer& observer,
                 const RunPlan& plan, const system::State& start, double end)
    : model_(model),
      settings_(settings),
      observer_(observer),
      plan_(plan),
      rest_(findRest(model, settings, plan)),
      switches_(system::findSwitches(model.system())),
      machine_(model.borrowMachine()),
      assembler_(machine_->assembler()),
      stepper_(
          std::make_unique<solve::TimeStepper>(*machine_, stepperOptions(settings), model.start())),
      state_(start),
      sources_(model.system(), state_, settings.end),
      control_(withEnd(sources_.limit(settings), end), model.system().breaks(),
               model.system().clocks(), model.system().periodicBreaks(), start.time),
      turns_(model.system()),
      contacts_(model.system()),
      bends_(model.system()),
      recordClock_(settings.record) {}

TimeReport TimeRun::run() {
  if (start()) stepToEnd();
  // The last state before a failure shows best what has failed.
  // What a box has left behind is no state to be shown.
  const bool isShown = isUnsolved_ && !assembler_.fault();
  if (isShown && watch_ && state_.time > lastRecord_) record();
  report_.time = state_.time;
  report_.chatteringSteps = modes_->chatter().chatteringSteps();
  report_.firstChatter = modes_->chatter().firstTime();
  noteChatter();
  warnOfCoarseSteps();
  for (std::string& note : turns_.notes()) report_.notes.push_back(std::move(note));
  for (std::string& note : contacts_.notes()) report_.notes.push_back(std::move(note));
  for (std::string& note : bends_.notes(true)) report_.notes.push_back(std::move(note));
  watchEnergy();
  report_.energy = energy_.report(model_.isConservative());
  judgeRun();
  return report_;
}

bool TimeRun::start() {
  modes_.emplace(assembler_, switches_);
  compareWithSources();
  const double begin = plan_.from != nullptr ? plan_.from->state.time : state_.time;
  if (auto failure = describeInfiniteRate(assembler_, begin, settings_.end)) {
    return fail(std::move(*failure));
  }
  if (plan_.from != nullptr) return resume(*plan_.from);
  if (rest_) {
    if (!startAtRest()) return false;
  } else {
    report_.start = solve::makeConsistent(*machine_, state_);
    if (report_.start.failure) {
      return fail(base::withContext("at the start: ", *report_.start.failure));
    }
  }
  if (auto failure = solve::describeBeyondLimit(*machine_, state_)) {
    return fail(base::withContext("at the start: ", *failure));
  }
  if (!settle(control_.dueAtStart(), state_.time)) return false;
  observer_.onStart(report_.start);
  record();
  watch_.emplace(model_, state_, settings_.end);
  startsAnew_ = true;
  return true;
}

// Or in steady motion.
bool TimeRun::startAtRest() {
  report_.start.failure = rest_->failure;
  report_.notes.insert(report_.notes.end(), rest_->notes.begin(), rest_->notes.end());
  state_ = rest_->state;
  return rest_->ok() || fail(base::withContext("at the start: ", *rest_->failure));
}

void TimeRun::compareWithSources() {
  const bool isAdaptive = settings_.adaptive.enabled;
  modes_->setLongestBlindStep(
      sources_.findBlindStep(isAdaptive ? settings_.adaptive.maxStep : settings_.step));
  const std::string note =
      sources_.describeMissed(isAdaptive ? settings_.adaptive.minStep : settings_.step);
  if (!note.empty()) report_.notes.push_back(note);
}

bool TimeRun::resume(const RunPoint& point) {
  checkPoint(model_, point);
  state_ = point.state;
  if (!switches_.empty() || assembler_.gathers()) takeStepper();
  try {
    stepper_->restore(point.stepper);
  } catch (const std::invalid_argument&) {
    refusePoint("the memory of the time scheme");
  }
  control_.restore(point.control);
  recordClock_.restore(point.recordedSteps);
  modes_->chatter().restore(point.chatter);
  if (!modes_->restore(point.indicators)) refusePoint("what is known of branches");
  startsAnew_ = point.startsAnew;
  passCheckpoints();
  observer_.onStart(report_.start);
  record();
  watch_.emplace(model_, state_, settings_.end);
  return true;
}

void TimeRun::stepToEnd() {
  while (!control_.done()) {
    if (!takeStep()) return;
  }
}

bool TimeRun::stepTo(double time) {
  control_.stopAt(time);
  // The lag of the scheme would smear what short communication steps bring over a whole step of the model.
  longestLag_ = time - state_.time;
  while (!control_.hasPassed(time, state_.time)) {
    if (!takeStep()) return false;
  }
  return true;
}

// One that is taken back, or ends before its target, is one too.
bool TimeRun::takeStep() {
  const StepTarget target = control_.next(state_.time);
  if (isBlow(target)) {
    if (const std::optional<bool> passed = passBlow(target)) return *passed;
  }
  const double nominal = std::min(control_.nominal(), longestLag_);
  if (std::exchange(startsAnew_, false)) stepper_->start(state_, nominal);
  stepper_->setNominalStep(nominal);
  Walk walk;
  walk.shortest = control_.shortest();
  // Where a source jumps, the step ends with its old value and the next begins with the new one.
  const double end = target.before;
  if (!advance(target.length, end, walk)) return false;
  if (!walk.isTakenBack && !walk.kink.isAtStart) walk.isTakenBack = adapt(walk);
  const bool isWhole = !walk.isTakenBack && !walk.hasFailed && !walk.kink.isAtStart;
  if (isWhole && !locate(target.length, end, walk)) return false;
  if (!walk.isTakenBack && !accept(target, walk)) return false;
  return isToGoOn();
}

// Between breaks that are very close together, such as the edges of a short pulse, forces may be so large that no step of the
// scheme should see them.
bool TimeRun::isBlow(const StepTarget& target) const {
  return target.isBreak && !control_.done() &&
         target.time - state_.time < kBlow * std::min(control_.nominal(), longestLag_);
}

bool TimeRun::isBlowAhead() {
  const double end = control_.findNextBreak(state_.time);
  return end - state_.time < kBlow * std::min(control_.nominal(), longestLag_) &&
         stepper_->isViolent(state_, end);
}

// Nothing, where it is a step like any other. Where a branch ends inside, it is passed up to there.
std::optional<bool> TimeRun::passBlow(const StepTarget& target) {
  const double whole = target.time - state_.time;
  double length = whole;
  system::State struck;
  for (int cuts = 0;; ++cuts) {
    const bool isWhole = cuts == 0;
    struck = state_;
    const double end = isWhole ? target.before : state_.time + length;
    if (!stepper_->strike(struck, length, end, control_.nominal())) return std::nullopt;
    const double shorter = 0.5 * length;
    if (cuts == kMostCuts || !modes_->haveEnded(struck) || !(state_.time + shorter > state_.time)) {
      break;
    }
    length = shorter;
  }
  if (const auto fault = assembler_.fault()) return failNow(*fault);
  state_ = std::move(struck);
  isStruck_ = true;
  Walk walk;
  walk.isInterrupted = length < whole;
  endStep(target, walk);
  if (auto fault = system::findFault(bounded_, state_)) return failNow(std::move(*fault));
  if (!goOn(target, walk)) return false;
  if (!walk.isInterrupted && recordClock_.isDue(target)) record();
  if (!walk.isInterrupted) takeCheckpoints();
  return isToGoOn();
}

bool TimeRun::takeModel() {
  const system::State before = state_;
  const solve::JumpReport jump = solve::restartAfterJump(*machine_, state_, {}, true);
  if (jump.failure) return failToSolve(*jump.failure);
  stepper_->renewTangents();
  if (!startsAnew_) resumeAfter(before, false);
  return true;
}

bool TimeRun::takeInputs() {
  // Sampled without an instant of any clock.
  const std::size_t clocks = model_.system().clocks().size();
  return settle(std::vector<bool>(clocks + 1, false), state_.time);
}

bool TimeRun::isToGoOn() {
  report_.stopped = !observer_.onStep(state_.time);
  if (!report_.stopped) return true;
  return fail({"stopped by the user", "", base::FailureKind::kOther});
}

bool TimeRun::accept(const StepTarget& target, Walk& walk) {
  endStep(target, walk);
  watch_->addStep(state_, *stepper_, assembler_);
  contacts_.addStep(stepper_->previous(), state_, assembler_);
  if (auto fault = system::findFault(bounded_, state_)) return failNow(std::move(*fault));
  if (!goOn(target, walk)) return false;
  const bool isDue = !walk.isInterrupted && recordClock_.isDue(target);
  if (isDue || control_.done()) record();
  if (!walk.isInterrupted) takeCheckpoints();
  return true;
}

void TimeRun::endStep(const StepTarget& target, Walk& walk) {
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

// Lets signals jump and branches switch at the end of a step, where they have to.
bool TimeRun::goOn(const StepTarget& target, const Walk& walk) {
  if (walk.hasBlow && !walk.kink.isFound) resumeAfterBlow();
  const bool isInterrupted = walk.isInterrupted;
  const bool isBreak = target.isBreak && !isInterrupted;
  if (!isBreak && !walk.kink.isFound && !modes_->haveEnded(state_)) return true;
  double before = isBreak ? target.before : state_.time;
  if (walk.kink.isFound) before = walk.kink.before;
  if (modes_->hasDelays() && !isInterrupted) {
    modes_->sharpen(stepper_->massSystem().signals(), before, state_);
  }
  // What is sampled sees the branches of its instant.
  const bool isSampled = isBreak && !target.dueClocks.empty();
  if (isSampled && modes_->haveEnded(state_) && !settle({}, before)) return false;
  return settle(isBreak ? target.dueClocks : std::vector<bool>(), before);
}

// Blocks may switch what sticks, and the reverse.
bool TimeRun::settle(const std::vector<bool>& dueClocks, double timeBefore) {
  if (!settleBlocks(dueClocks, timeBefore)) return false;
  bool hasSwitched = !switches_.empty();
  for (int round = 0; hasSwitched && round < kMostRounds; ++round) {
    if (!settleSwitches(hasSwitched)) return false;
    if (hasSwitched && !settleBlocks({}, state_.time)) return false;
  }
  return true;
}

// What sticks, slips, touches and lifts off at this instant. The run continues from a consistent state as a new one with other constraints:
// between such instants it is smooth.
bool TimeRun::settleSwitches(bool& hasSwitched) {
  solve::SwitchSettlement settlement(*machine_, switches_, control_.nominal());
  hasSwitched = false;
  if (!settlement.isDue(state_)) return true;
  system::State next = state_;
  if (auto failure = settlement.settle(next)) return failToSolve(*failure);
  hasSwitched = settlement.hasStruck() || next.history != state_.history;
  if (hasSwitched) {
    state_ = std::move(next);
    takeStepper();
    startsAnew_ = true;
  } else {
    machine_->begin(state_);
  }
  // Rates of signals are found with the factors of their values, which the machine has forgotten.
  if (auto failure = machine_->massSystem().signals().solve(state_)) return failToSolve(*failure);
  return true;
}

// With the constraints that are closed in the state.
void TimeRun::takeStepper() {
  stepper_ = std::make_unique<solve::TimeStepper>(*machine_, stepperOptions(settings_), state_);
}

// Jumps of any size and origin are taken over by the scheme (9.16); it starts anew only where velocities jump.
bool TimeRun::settleBlocks(const std::vector<bool>& dueClocks, double timeBefore) {
  if (!startsAnew_) stepper_->forget(state_, timeBefore);
  system::State before = state_;
  calcDriveAccelerations(timeBefore, before);
  const Settlement settlement = settleBranches(*machine_, state_, dueClocks, timeBefore);
  if (settlement.failure) return failToSolve(*settlement.failure);
  // Tangents of the other branch would leave an output beside the limit at which it is held.
  if (settlement.tangentsJump) stepper_->renewTangents();
  if (settlement.velocitiesJump) {
    startsAnew_ = true;
  } else if (!startsAnew_) {
    if (settlement.restarted) resumeAfter(before, settlement.slopesJump);
    before.time = timeBefore;
    const bool isAhead = isBlowAhead();
    if (isStruck_ && !isAhead) {
      stepper_->renewNormalVelocity(state_);
    } else if (!isStruck_ && !isAhead &&
               (settlement.restarted || stepper_->massSystem().signals().hasDrives())) {
      stepper_->followJump(state_, before);
    }
    isStruck_ = isStruck_ && isAhead;
  }
  return true;
}

// Whether there are any up to now that have not been passed.
bool TimeRun::passCheckpoints() {
  const std::size_t before = nextCheckpoint_;
  while (nextCheckpoint_ < plan_.checkpoints.size() &&
         plan_.checkpoints[nextCheckpoint_] <= state_.time + kRoundOff * settings_.step) {
    ++nextCheckpoint_;
  }
  return nextCheckpoint_ > before;
}

void TimeRun::takeCheckpoints() {
  if (!passCheckpoints()) return;
  observer_.onCheckpoint(point());
}

RunPoint TimeRun::point() {
  return {state_,
          stepper_->memory(),
          control_.position(),
          recordClock_.steps(),
          modes_->chatter().position(),
          startsAnew_,
          modes_->history()};
}

void TimeRun::record() {
  const system::State& shown = isNoisy() ? shown_ : state_;
  model_.outputs().calc(assembler_.calcMotion(shown), outputs_);
  observer_.onRecord(shown, outputs_);
  lastRecord_ = state_.time;
  if (energy_.isEmpty() || (model_.isConservative() && energy_.isDue())) watchEnergy();
}

// Where accelerations and forces of very short steps drown in the round-off of positions, those that belong to the
// positions and velocities are recorded.
bool TimeRun::isNoisy() {
  if (report_.steps == 0 || startsAnew_) return false;  // they are those already
  if (!stepper_->isNoisy(control_.lastLength())) return false;
  shown_ = state_;
  return solve::calcAccelerations(*machine_, shown_);
}

}  // namespace flexloop::analysis
