#include "analysis/balance/resting_switches.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/time/branch_settlement.hpp"
#include "solve/consistent_accelerations.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/shared_friction.hpp"
#include "solve/switch_settlement.hpp"

namespace flexloop::analysis {
namespace {

using Branch = system::Switching::Branch;

constexpr double kSameForce = 1e-9;   // relative excess that is none
constexpr double kSamePlace = 1e-12;  // of the terms of a gap
constexpr double kBeyond = 1e-9;      // the same, more than the tolerance of a rest may leave
constexpr double kNoMotion = 1e-12;   // of the terms of the acceleration of a gap
constexpr int kMostChanges = 2;
constexpr int kMostShares = 20;

}  // namespace

RestingSwitches::RestingSwitches(const model::Model& model)
    : model_(model), switches_(system::findSwitches(model.system())), start_(model.start()) {
  changes_.assign(switches_.size(), 0);
  isCaught_.assign(switches_.size(), false);
  if (switches_.empty()) return;
  const solve::MachineLoan machine = model.borrowMachine();
  for (const system::Switch& s : switches_) {
    const system::Motion& motion = machine->assembler().calcMotion(start_);
    if (s.isStop() || s.isLatch() || system::isUnsupported(s, switches_, start_)) continue;
    s.set->setBranch(s.index, Branch::kClosed, motion, start_);
  }
  obeyCommands(*machine);
}

// As the signals at the start command.
void RestingSwitches::obeyCommands(solve::PreparedMachine& machine) {
  const bool hasLatches = std::any_of(switches_.begin(), switches_.end(),
                                      [](const system::Switch& s) { return s.isLatch(); });
  if (!hasLatches) return;
  system::State settled = start_;
  machine.begin(settled);
  if (settleStart(machine, settled).failure) return;
  for (const system::Switch& s : switches_) {
    if (s.isLatch() && isDisobeyed(s, machine.assembler(), settled)) toggle(s, machine.assembler());
  }
}

bool RestingSwitches::isDisobeyed(const system::Switch& s, system::Assembler& assembler,
                                  const system::State& at) const {
  const auto now = s.set->read(s.index, assembler.calcMotion(at), assembler.environment());
  const bool isClosed = s.branch(start_) == Branch::kClosed;
  return isClosed ? now.command < 0.0 : now.command > 0.0;
}

void RestingSwitches::toggle(const system::Switch& s, system::Assembler& assembler) {
  const bool isClosed = s.branch(start_) == Branch::kClosed;
  s.set->setBranch(s.index, isClosed ? Branch::kFree : Branch::kClosed,
                   assembler.calcMotion(start_), start_);
}

RestingSwitches::Fault RestingSwitches::judgeStop(const system::Switch& s,
                                                  system::Assembler& assembler,
                                                  const system::State& rest,
                                                  double tolerance) const {
  const auto now = s.set->read(s.index, assembler.calcMotion(rest), assembler.environment());
  if (now.isClosed) return now.force < 0.0 ? Fault::kPulls : Fault::kNone;
  return now.value < -tolerance * now.valueSize ? Fault::kPassed : Fault::kNone;
}

// Together with the friction of its contact, which holds where the search begins.
void RestingSwitches::setStop(std::size_t which, bool isClosed, system::Assembler& assembler) {
  const Branch branch = isClosed ? Branch::kClosed : Branch::kFree;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (i != which && switches_[i].support != static_cast<int>(which)) continue;
    switches_[i].set->setBranch(switches_[i].index, branch, assembler.calcMotion(start_), start_);
  }
}

// A stop that has been passed holds, and one that would pull lets go. Each does so once at most, so there is no circle.
bool RestingSwitches::changeStop(const system::State& rest) {
  const solve::MachineLoan machine = model_.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const system::Switch& s = switches_[i];
    if (s.isLatch() && changes_[i] < kMostChanges && isDisobeyed(s, assembler, rest)) {
      ++changes_[i];
      toggle(s, assembler);
      return true;
    }
    if (!s.isStop() || changes_[i] == kMostChanges) continue;
    const Fault fault = judgeStop(s, assembler, rest, kSamePlace);
    if (fault == Fault::kNone) continue;
    ++changes_[i];
    setStop(i, fault == Fault::kPassed, assembler);
    return true;
  }
  return false;
}

// From rest a gap g with the acceleration g'' < 0 is closed after √(2 g/−g''), (33.7).
bool RestingSwitches::catchFall() {
  const solve::MachineLoan machine = model_.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  system::State falling = start_;
  falling.rate.setZero();
  falling.acceleration.setZero();
  machine->begin(falling);
  if (machine->massSystem().signals().solve(falling)) return false;
  if (!solve::calcAccelerations(*machine, falling)) return false;
  // Read as rates, they come with the size of their terms.
  falling.rate = falling.acceleration;
  double soonest = 0.0;
  std::size_t which = switches_.size();
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const system::Switch& s = switches_[i];
    if (!s.isStop() || isCaught_[i] || s.branch(start_) == Branch::kClosed) continue;
    const auto now = s.set->read(s.index, assembler.calcMotion(falling), assembler.environment());
    if (!(now.rate < -kNoMotion * now.rateSize)) continue;
    const double squaredTime = std::max(now.value, 0.0) / -now.rate;
    if (which < switches_.size() && squaredTime >= soonest) continue;
    soonest = squaredTime;
    which = i;
  }
  if (which == switches_.size()) return false;
  isCaught_[which] = true;
  setStop(which, true, assembler);
  return true;
}

std::optional<base::Failure> RestingSwitches::describeContradiction(
    const system::State& rest) const {
  const solve::MachineLoan machine = model_.borrowMachine();
  for (const system::Switch& s : switches_) {
    if (s.isLatch() && isDisobeyed(s, machine->assembler(), rest)) {
      return base::numericalFailure(
          "the " + s.name() + " is " + (s.branch(start_) == Branch::kClosed ? "opened" : "closed") +
              " by its signal at each equilibrium that it would hold",
          "'flexloop run' shows how the machine moves; give the latch a signal that does not "
          "depend on what it holds");
    }
    if (!s.isStop()) continue;
    const Fault fault = judgeStop(s, machine->assembler(), rest, kBeyond);
    if (fault == Fault::kNone) continue;
    return base::numericalFailure(
        "no equilibrium was found that agrees with the limits: the " + s.name() +
            (fault == Fault::kPulls ? " would have to pull" : " would be passed"),
        "start the machine nearer to its rest; 'flexloop run' shows how it moves");
  }
  return {};
}

bool RestingSwitches::release(const system::State& rest) {
  if (changeStop(rest)) return true;
  const solve::MachineLoan machine = model_.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  if (shares_ < kMostShares) {
    const auto shares = solve::findShares(assembler, switches_, rest, true);
    solve::addShares(shares, start_);
    ++shares_;
    if (!shares.empty()) return true;
  }
  double worst = kSameForce, force = 0.0;
  const system::Switch* which = nullptr;
  for (const system::Switch& s : switches_) {
    if (s.branch(rest) != Branch::kClosed || s.isStop() || s.isLatch()) continue;
    const auto now = s.set->read(s.index, assembler.calcMotion(rest), assembler.environment());
    const double excess = (std::abs(now.force) - now.limit) / std::abs(now.force);
    if (!(excess > worst)) continue;
    worst = excess;
    force = now.force;
    which = &s;
  }
  if (which == nullptr) return false;
  which->set->aim(which->index, system::Switching::Aim::kForce, assembler.calcMotion(rest),
                  assembler.environment(), start_);
  which->set->setBranch(which->index, force > 0.0 ? Branch::kForward : Branch::kBackward,
                        assembler.calcMotion(start_), start_);
  return true;
}

std::vector<std::string> RestingSwitches::describeCaught(const system::State& rest) const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (!isCaught_[i] || switches_[i].branch(rest) != Branch::kClosed) continue;
    notes.push_back("the " + switches_[i].name() +
                    " holds the machine: nothing else would, and its forces drive it there");
  }
  return notes;
}

std::vector<std::string> RestingSwitches::holdAt(const system::State& rest) {
  const solve::MachineLoan machine = model_.borrowMachine();
  std::vector<std::string> notes;
  start_ = rest;
  for (const system::Switch& s : switches_) {
    const Branch branch = s.branch(rest);
    if (branch != Branch::kForward && branch != Branch::kBackward) continue;
    s.set->setBranch(s.index, Branch::kClosed, machine->assembler().calcMotion(rest), start_);
    if (isHeldByStop(s, *machine)) {
      s.set->setBranch(s.index, branch, machine->assembler().calcMotion(rest), start_);
      continue;
    }
    notes.push_back("the " + s.name() +
                    " slips before the machine comes to rest, so this is one of many equilibria: "
                    "which one is reached depends on the loading");
  }
  return notes;
}

// A joint that has slid onto a stop needs no friction to stay there: two constraints of one motion would share its force anyhow.
bool RestingSwitches::isHeldByStop(const system::Switch& friction,
                                   solve::PreparedMachine& machine) const {
  const auto redundancy = machine.redundancy(start_);
  const auto& rows = redundancy->dependentRows;
  const auto find = [&](const system::Switch& s) {
    const int unknown = s.set->multiplier(s.index).value;
    return std::find_if(rows.begin(), rows.end(),
                        [&](const auto& r) { return r.unknown == unknown; });
  };
  const auto own = find(friction);
  if (own == rows.end()) return false;
  return std::any_of(switches_.begin(), switches_.end(), [&](const system::Switch& s) {
    if (!s.isStop() || s.branch(start_) != Branch::kClosed) return false;
    const auto stop = find(s);
    return stop != rows.end() && stop->group == own->group;
  });
}

std::optional<base::Failure> chooseByMotion(const model::Model& model, system::State& state) {
  if (system::findSwitches(model.system()).empty()) return {};
  system::State settled = state;
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(settled);
  if (auto failure = settleStart(*machine, settled).failure) return failure;
  if (auto failure = solve::settleSwitches(*machine, settled)) return failure;
  for (const system::Switch& s : system::findSwitches(model.system())) {
    s.set->setBranch(s.index, s.branch(settled), machine->assembler().calcMotion(state), state);
  }
  return {};
}

}  // namespace flexloop::analysis
