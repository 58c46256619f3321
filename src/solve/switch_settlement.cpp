#include "solve/switch_settlement.hpp"

#include <algorithm>
#include <cmath>

#include "solve/initial_conditions.hpp"
#include "solve/shared_friction.hpp"

namespace flexloop::solve {

using system::State;
using system::SwitchReading;
using Branch = system::Switching::Branch;

namespace {

constexpr double kRoundOff = 1e-12;  // of the terms of a coordinate or of its rate
constexpr double kSamePlace = 1e-9;  // the same, of a start that loops of joints have moved
// Of a step: what an event may be beside the instant at which it is located.
constexpr double kRestBand = 1e-6;
// Relative excess of a force over its limit that is none, as of a force that grows up to the limit.
constexpr double kSameForce = 1e-10;
// The same, of a force that hardly exceeds its limit: the acceleration that is left may have any sign.
constexpr double kMarginalForce = 1e-6;
// By how much forces of a step differ from those of the instant by the error of the scheme, at most; more is a jump.
constexpr double kSchemeError = 1e-3;

constexpr double kSoon = 1e-2;  // of a step, within which a contact that slides has stopped

// From slip to stick, at one instant.
constexpr int kMostReturns = 2;

double signOf(Branch branch) {
  return static_cast<double>(branch);
}

// How far the branch is from its end.
double calcIndicator(const system::Switch& s, Branch branch, const SwitchReading& reading) {
  if (s.isLatch()) return branch == Branch::kClosed ? reading.command : -reading.command;
  switch (branch) {
    case Branch::kForward:
    case Branch::kBackward:
      // What slips beside others that hold the same motion is at rest, up to round-off.
      return std::abs(reading.rate) <= kRoundOff * reading.rateSize ? 0.0
                                                                    : signOf(branch) * reading.rate;
    case Branch::kClosed:
      return s.isStop() ? reading.force : reading.limit - std::abs(reading.force);
    case Branch::kFree:
      return s.isStop() ? reading.value : 1.0;
  }
  return 1.0;
}

}  // namespace

void calcSwitchIndicators(const std::vector<system::Switch>& switches, system::Assembler& assembler,
                          const State& state, std::vector<double>& values) {
  const system::Motion& motion = assembler.calcMotion(state);
  for (const system::Switch& s : switches) {
    values.push_back(
        calcIndicator(s, s.branch(state), s.set->read(s.index, motion, assembler.environment())));
  }
}

SwitchReading SwitchSettlement::read(std::size_t i, const State& state) const {
  system::Assembler& assembler = machine_.assembler();
  const system::Switch& s = switches_[i];
  SwitchReading reading =
      s.set->read(s.index, assembler.calcMotion(state), assembler.environment());
  // What an impact leaves of a rate is round-off of the rates before it.
  if (i < arrivalSizes_.size()) reading.rateSize = std::max(reading.rateSize, arrivalSizes_[i]);
  return reading;
}

void SwitchSettlement::setBranch(std::size_t i, Branch branch, State& state) const {
  const system::Switch& s = switches_[i];
  s.set->setBranch(s.index, branch, machine_.assembler().calcMotion(state), state);
}

bool SwitchSettlement::isTouching(const SwitchReading& now) const {
  return now.value <= kRoundOff * now.valueSize + kRestBand * step_ * std::abs(now.rate);
}

bool SwitchSettlement::isResting(const SwitchReading& now) const {
  return std::max(std::abs(now.rate), now.speed) <=
         std::max(kRoundOff * now.rateSize, kRestBand * step_ * std::abs(now.acceleration));
}

bool SwitchSettlement::isDue(const State& state) const {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const system::Switch& s = switches_[i];
    const Branch branch = s.branch(state);
    if (system::isUnsupported(s, switches_, state)) {
      if (branch != Branch::kFree) return true;
      continue;
    }
    const SwitchReading now = read(i, state);
    if (branch != Branch::kFree || s.isLatch()) {
      if (calcIndicator(s, branch, now) < 0.0) return true;
    } else if (!s.isStop() || (isTouching(now) && now.rate <= kRoundOff * now.rateSize)) {
      return true;
    }
  }
  return false;
}

void SwitchSettlement::chooseByRates(State& state) {
  isAtRest_.assign(switches_.size(), false);
  hasEnded_.assign(switches_.size(), false);
  excess_.assign(switches_.size(), 0.0);
  arrival_.assign(switches_.size(), 0.0);
  returns_.assign(switches_.size(), 0);
  inStep_.assign(switches_.size(), {});
  for (const bool isSupported : {false, true}) {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const bool isDependent = switches_[i].support >= 0;
      if (!switches_[i].isLatch() && isDependent == isSupported) choose(i, state);
    }
  }
}

void SwitchSettlement::choose(std::size_t i, State& state) {
  const system::Switch& s = switches_[i];
  if (system::isUnsupported(s, switches_, state)) {
    isAtRest_[i] = false;
    setBranch(i, Branch::kFree, state);
  } else if (s.branch(state) == Branch::kClosed) {
    isAtRest_[i] = true;
    inStep_[i] = read(i, state);
    hasEnded_[i] = calcIndicator(s, Branch::kClosed, inStep_[i]) < 0.0;
  } else if (s.isStop()) {
    chooseStop(i, state);
  } else {
    chooseFriction(i, state);
  }
}

// Friction of a contact comes and goes with it.
void SwitchSettlement::followSupport(std::size_t stop, State& state) {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i].support == static_cast<int>(stop)) choose(i, state);
  }
}

bool SwitchSettlement::aim(std::size_t i, system::Switching::Aim by, State& state) const {
  const system::Switch& s = switches_[i];
  system::Assembler& assembler = machine_.assembler();
  return s.set->aim(s.index, by, assembler.calcMotion(state), assembler.environment(), state);
}

void SwitchSettlement::chooseStop(std::size_t i, State& state) {
  const SwitchReading now = read(i, state);
  isAtRest_[i] = isTouching(now) && isResting(now);
  if (isAtRest_[i]) setBranch(i, Branch::kClosed, state);
}

// What moves slips the way it moves. What is at rest sticks at first.
void SwitchSettlement::chooseFriction(std::size_t i, State& state) {
  const SwitchReading now = read(i, state);
  const Branch branch = switches_[i].branch(state);
  // Points of one body that slides come to rest together, and their directions turn ever faster up to then: what is over within a small part of the step is over.
  const bool stopsSoon = switches_[i].support >= 0 && branch != Branch::kFree &&
                         now.speed <= -kSoon * step_ * now.acceleration;
  const bool isKept = branch != Branch::kFree && !stopsSoon && signOf(branch) * now.rate >= 0.0 &&
                      std::abs(now.rate) > kRoundOff * now.rateSize;
  if (isKept) return;
  isAtRest_[i] = stopsSoon || isResting(now);
  arrival_[i] = now.acceleration;
  const Branch slip = now.rate > 0.0 ? Branch::kForward : Branch::kBackward;
  setBranch(i, isAtRest_[i] ? Branch::kClosed : slip, state);
  if (!isAtRest_[i]) aim(i, system::Switching::Aim::kVelocity, state);
}

// Velocities keep what is closed, and forces and accelerations are those of the branches.
bool SwitchSettlement::follow(State& state) {
  for (const system::Switch& s : switches_) {
    if (s.branch(state) == Branch::kClosed) continue;
    state.value[s.set->multiplier(s.index).value] = 0.0;
    state.value[s.set->secondMultiplier(s.index).value] = 0.0;
  }
  machine_.begin(state);
  if (machine_.massSystem().signals().solve(state)) return false;
  return followDriveRates(machine_, state);
}

// What gave way in a step, whose forces err, may seem to hold at the instant itself. Kept, it would give way at once again.
double SwitchSettlement::calcMargin(std::size_t i, const SwitchReading& now) const {
  const double error = std::abs(std::abs(inStep_[i].force) - std::abs(now.force)) +
                       std::abs(inStep_[i].limit - now.limit);
  return error <= kSchemeError * now.limit ? std::max(error, kMarginalForce * now.limit)
                                           : kMarginalForce * now.limit;
}

// By how much the branch of what is at rest contradicts its force or its acceleration; between zero and one.
double SwitchSettlement::calcViolation(std::size_t i, const SwitchReading& now,
                                       Branch branch) const {
  const bool isStop = switches_[i].isStop();
  if (branch == Branch::kClosed) {
    if (isStop) return now.force < 0.0 ? 1.0 : 0.0;
    const double excess = std::abs(now.force) - now.limit;
    const double least = hasEnded_[i] ? -calcMargin(i, now) : kSameForce * now.limit;
    return excess > least ? std::max(excess / std::abs(now.force), kSameForce) : 0.0;
  }
  const double outward = (isStop ? 1.0 : signOf(branch)) * now.acceleration;
  // What slips beside others that hold the same motion does not accelerate, and the sign of round-off means nothing.
  const bool isOpen = excess_[i] > kMarginalForce && returns_[i] < kMostReturns;
  return outward < 0.0 && isOpen ? 1.0 : 0.0;
}

// The next change of branches that forces ask for; false: they agree. The one that is violated most goes first; after many rounds, the
// first of all, which cannot go round in circles where the masses are those of a machine.
bool SwitchSettlement::release(State& state, int round) {
  const bool takesFirst = round > 2 * static_cast<int>(switches_.size());
  double worst = 0.0;
  std::size_t which = switches_.size();
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (!isAtRest_[i] || (takesFirst && which < switches_.size())) continue;
    const double violation = calcViolation(i, read(i, state), switches_[i].branch(state));
    if (violation <= worst) continue;
    worst = violation;
    which = i;
  }
  if (which == switches_.size()) return false;
  if (switches_[which].branch(state) != Branch::kClosed) {
    hasEnded_[which] = false;
    ++returns_[which];
    setBranch(which, Branch::kClosed, state);
    followSupport(which, state);
    return true;
  }
  excess_[which] = worst;
  const Branch slip = read(which, state).force > 0.0 ? Branch::kForward : Branch::kBackward;
  setBranch(which, switches_[which].isStop() ? Branch::kFree : slip, state);
  followSupport(which, state);
  return true;
}

// Slip of a contact begins in the direction of the forces while all stick: where one has begun to slip, those of others are no measure any more.
void SwitchSettlement::aimAtForces(State& state) {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const bool sticks = isAtRest_[i] && switches_[i].branch(state) == Branch::kClosed;
    if (sticks && switches_[i].support >= 0) aim(i, system::Switching::Aim::kForce, state);
  }
}

// A drive that passes through rest moves on what would stick there: the accelerations of both contradict each other. The friction that has come to rest
// with an acceleration slips on in the direction of that. False: there is none.
bool SwitchSettlement::yieldToDrives(State& state) {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i].branch(state) != Branch::kClosed || arrival_[i] == 0.0) continue;
    setBranch(i, arrival_[i] > 0.0 ? Branch::kForward : Branch::kBackward, state);
    aim(i, system::Switching::Aim::kAcceleration, state);
    arrival_[i] = 0.0;
    return true;
  }
  return false;
}

base::Failure SwitchSettlement::describeCycling(const State& state) const {
  std::string list;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (!isAtRest_[i]) continue;
    const bool isClosed = switches_[i].branch(state) == Branch::kClosed;
    list += (list.empty() ? "" : ", ") + switches_[i].name();
    list += switches_[i].isStop() ? (isClosed ? " (touched)" : " (free)")
                                  : (isClosed ? " (sticks)" : " (slips)");
  }
  return base::numericalFailure(
      "there is no way to stick or slip that agrees with the forces: " + list,
      "friction that follows from a reaction may have no solution where it jams the machine: use a "
      "smaller coefficient, or give the friction by its force or torque");
}

// As of a rod that is pushed over a rough floor (Painlevé).
base::Failure SwitchSettlement::describeJam(const State& state) const {
  std::string list;
  for (const system::Switch& s : switches_) {
    const Branch branch = s.branch(state);
    const bool slips = branch == Branch::kForward || branch == Branch::kBackward;
    if (slips && !s.isStop()) list += (list.empty() ? " with the " : ", the ") + s.name();
  }
  return base::numericalFailure(
      "the accelerations are not determined where something begins to stick or to slip" + list,
      "friction that follows from a reaction which it makes itself jams the machine, as that of a "
      "rod that is pushed over a rough floor: no motion agrees with it. Use a smaller coefficient, "
      "or a contact with a stiffness");
}

std::optional<base::Failure> SwitchSettlement::agree(State& state) {
  const int rounds = 8 * static_cast<int>(switches_.size()) + 8;
  for (int round = 0; round < rounds; ++round) {
    const State before = state;
    if (!follow(state)) {
      state = before;
      if (yieldToDrives(state)) continue;
      return describeJam(state);
    }
    // Where even the best shares are too much, they tell how slip begins.
    addShares(findShares(machine_.assembler(), switches_, state, false), state);
    if (round == 0) aimAtForces(state);
    if (!release(state, round)) return {};
  }
  return describeCycling(state);
}

// What has been commanded is done, whatever it takes. What closes stops all motion by an impact (41.11).
void SwitchSettlement::obeyCommands(State& state) {
  hasLatched_ = false;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const system::Switch& s = switches_[i];
    const Branch branch = s.branch(state);
    if (!s.isLatch() || calcIndicator(s, branch, read(i, state)) >= 0.0) continue;
    const bool closes = branch != Branch::kClosed;
    setBranch(i, closes ? Branch::kClosed : Branch::kFree, state);
    hasLatched_ = hasLatched_ || closes;
  }
}

std::optional<base::Failure> SwitchSettlement::settle(State& state) {
  hasBounced_.assign(switches_.size(), false);
  arrivalSizes_.clear();
  std::vector<double> sizes(switches_.size());
  for (std::size_t i = 0; i < switches_.size(); ++i) sizes[i] = read(i, state).rateSize;
  obeyCommands(state);
  if (!strike(state)) {
    return base::numericalFailure("the velocities after an impact are not determined",
                                  "does something that is hit have no mass?");
  }
  if (hasStruck_) arrivalSizes_ = std::move(sizes);
  chooseByRates(state);
  if (auto failure = agree(state)) return failure;
  if (!endBounces(state)) return {};
  return agree(state);
}

std::optional<base::Failure> describeBeyondLimit(PreparedMachine& machine, const State& state) {
  system::Assembler& assembler = machine.assembler();
  const system::Motion& motion = assembler.calcMotion(state);
  for (const system::Switch& s : system::findSwitches(assembler.system())) {
    if (!s.isStop()) continue;
    const SwitchReading now = s.set->read(s.index, motion, assembler.environment());
    if (now.value >= -kSamePlace * now.valueSize) continue;
    return base::numericalFailure("the " + s.name() + " is passed at the start",
                                  "change the start of the machine, or the limit");
  }
  return {};
}

std::optional<base::Failure> settleSwitches(PreparedMachine& machine, State& state) {
  const auto switches = system::findSwitches(machine.assembler().system());
  if (switches.empty()) return {};
  if (auto failure = describeBeyondLimit(machine, state)) return failure;
  return SwitchSettlement(machine, switches, 0.0).settle(state);
}

}  // namespace flexloop::solve
