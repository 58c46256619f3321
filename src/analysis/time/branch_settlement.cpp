#include "analysis/time/branch_settlement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "control/blocks/block_set.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/signal_jumps.hpp"

namespace flexloop::analysis {
namespace {

using system::State;

// Rounds at one instant beyond one for each indicator, which a cascade may need.
constexpr int kMoreRounds = 20;
constexpr double kSameSignal = 1e-9;  // relative
constexpr double kSameSlope = 1e-3;   // relative

// The blocks that switch, whether or not what they give differs, and the signals that do.
base::Failure describeCycling(const system::System& system, const State& before, const State& after,
                              std::vector<std::string> names) {
  for (int u = 0; u < after.value.size(); ++u) {
    if (system.kinds()[u] != system::Kind::kSignal) continue;
    const double size = std::max(std::abs(after.value[u]), std::abs(before.value[u]));
    if (std::abs(after.value[u] - before.value[u]) <= kSameSignal * size) continue;
    names.push_back(system.equationName(system::UnknownIndex{u}));
  }
  std::string list;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) continue;
    list += (list.empty() ? "'" : ", '") + *name + "'";
  }
  return base::numericalFailure("blocks keep switching each other: " + list +
                                "; add a delay or hysteresis to the loop");
}

bool isAnyNegative(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double g) { return g < 0.0; });
}

// The blocks with a negative indicator.
std::vector<int> findEnded(const control::BlockSet* blocks, const system::Motion& motion) {
  std::vector<int> ended;
  std::vector<double> values;
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    values.resize(blocks->block(e).indicators());
    if (values.empty()) continue;
    blocks->block(e).calcIndicators(blocks->read(e, motion).ports, values.data());
    if (isAnyNegative(values)) ended.push_back(e);
  }
  return ended;
}

// The kinds of other elements with one, such as contacts.
std::vector<std::string> findOthersEnded(const system::System& system,
                                         const control::BlockSet* blocks,
                                         const system::Motion& motion) {
  std::vector<std::string> ended;
  std::vector<double> values;
  for (const system::Branching* set : system.roles().branching) {
    const auto* elements = dynamic_cast<const system::ElementSet*>(set);
    if (elements == blocks) continue;
    values.resize(set->indicators());
    set->calcIndicators(motion, values.data());
    if (isAnyNegative(values)) ended.emplace_back(elements->type());
  }
  return ended;
}

using Slopes = std::vector<system::Tangents>;

Slopes calcSlopes(system::Assembler& assembler, const control::BlockSet* blocks,
                  const std::vector<int>& of, const State& state) {
  const system::Motion& motion = assembler.calcMotion(state);
  Slopes slopes(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    blocks->calcTangents(motion, assembler.environment(), of[i], slopes[i]);
  }
  return slopes;
}

// Those of smooth functions change with the last digits of signals, which is no jump.
bool areSame(const Slopes& a, const Slopes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
    if (x.K.rows() != y.K.rows() || x.K.cols() != y.K.cols()) return false;
    const auto allowed = kSameSlope * x.K.array().abs().max(y.K.array().abs());
    return ((x.K - y.K).array().abs() <= allowed).all();
  });
}

// Whether tangents jump: a relay or an encoder gives another value and has the slope zero as before, while
// what is limited has another slope.
bool switchBranches(system::Assembler& assembler, const control::BlockSet* blocks,
                    const std::vector<int>& ended, State& state) {
  const Slopes before = calcSlopes(assembler, blocks, ended, state);
  assembler.switchBranches(state);
  return !areSame(before, calcSlopes(assembler, blocks, ended, state));
}

std::vector<int> listBlocks(const control::BlockSet* blocks) {
  std::vector<int> all(blocks != nullptr ? blocks->size() : 0);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Settlement switchUntilSettled(solve::PreparedMachine& machine, State& state,
                              std::vector<bool> dueClocks) {
  system::Assembler& assembler = machine.assembler();
  Settlement settlement;
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  const int indicators = assembler.indicators();
  const int rounds = indicators + kMoreRounds;
  std::vector<double> values;
  State before;
  std::vector<std::string> cycling;
  for (int round = 0;; ++round) {
    // Rates and accelerations may jump where no signal does, after a branch has been switched.
    const solve::JumpReport jump = solve::restartAfterJump(machine, state, dueClocks, round > 0);
    settlement.failure = jump.failure;
    if (settlement.failure) return settlement;
    settlement.restarted = settlement.restarted || jump.restarted;
    if (indicators == 0) return settlement;
    assembler.calcIndicators(state, values);
    if (!isAnyNegative(values)) return settlement;
    const system::Motion& motion = assembler.calcMotion(state);
    const std::vector<int> ended = findEnded(blocks, motion);
    const std::vector<std::string> others = findOthersEnded(assembler.system(), blocks, motion);
    if (round >= indicators) {
      for (const int e : ended) cycling.push_back(blocks->name(e));
      cycling.insert(cycling.end(), others.begin(), others.end());
    }
    if (round == rounds) {
      settlement.failure = describeCycling(assembler.system(), before, state, std::move(cycling));
      return settlement;
    }
    if (round + 1 == rounds) before = state;
    dueClocks.clear();
    if (switchBranches(assembler, blocks, ended, state) || !others.empty()) {
      settlement.tangentsJump = true;
    }
    // A box that fails at its event would seem to switch for ever.
    settlement.failure = assembler.fault();
    if (settlement.failure) return settlement;
  }
}

}  // namespace

Settlement settleBranches(solve::PreparedMachine& machine, State& state,
                          const std::vector<bool>& dueClocks, double before) {
  system::Assembler& assembler = machine.assembler();
  solve::MassSystem& massSystem = machine.massSystem();
  const bool hasDrives = massSystem.signals().hasDrives();
  std::vector<double> rates;
  if (hasDrives) {
    State then = state;
    then.time = before;
    rates = solve::calcDriveRates(machine, std::move(then));
  }
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  const std::vector<int> all = listBlocks(blocks);
  const Slopes slopes = calcSlopes(assembler, blocks, all, state);
  Settlement settlement = switchUntilSettled(machine, state, dueClocks);
  settlement.slopesJump =
      settlement.restarted && !areSame(slopes, calcSlopes(assembler, blocks, all, state));
  if (settlement.failure || !hasDrives) return settlement;
  settlement.velocitiesJump =
      solve::haveDriveRatesJumped(rates, solve::calcDriveRates(machine, state)) &&
      solve::followDriveRates(machine, state);
  return settlement;
}

ConsistentStart settleStart(solve::PreparedMachine& machine, State& state) {
  system::Assembler& assembler = machine.assembler();
  ConsistentStart start;
  start.report = solve::makeConsistent(machine, state);
  start.failure = start.report.failure;
  if (start.failure) return start;
  std::vector<bool> due;
  for (const system::Clock& clock : assembler.system().clocks()) {
    due.push_back(clock.offset == 0.0);
  }
  start.failure = settleBranches(machine, state, due, state.time).failure;
  return start;
}

}  // namespace flexloop::analysis
