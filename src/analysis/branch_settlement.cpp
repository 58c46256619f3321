#include "analysis/branch_settlement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flexloop::analysis {
namespace {

using system::State;

// Rounds at one instant beyond one for each indicator, which a cascade may need.
constexpr int kMoreRounds = 20;
constexpr double kSameSignal = 1e-9;

std::string describeCycling(const system::System& system, const State& before, const State& after) {
  std::string names;
  for (int u = 0; u < after.value.size(); ++u) {
    if (system.kinds()[u] != system::Kind::kSignal) continue;
    if (std::abs(after.value[u] - before.value[u]) <= kSameSignal) continue;
    names += (names.empty() ? "'" : ", '") + system.equationName(system::UnknownIndex{u}) + "'";
  }
  return "blocks switch each other without end: " + names +
         "; a delay or a hysteresis in the loop ends it";
}

Settlement switchUntilSettled(system::Assembler& assembler, solve::MassSystem& massSystem,
                              State& state, std::vector<bool> dueClocks) {
  Settlement settlement;
  const int indicators = assembler.indicators();
  const int rounds = indicators + kMoreRounds;
  std::vector<double> values;
  State before;
  for (int round = 0;; ++round) {
    // Rates and accelerations may jump where no signal does, after a branch has been switched.
    const solve::JumpReport jump =
        solve::restartAfterJump(assembler, massSystem, state, dueClocks, round > 0);
    settlement.trouble = jump.trouble;
    if (!settlement.trouble.empty()) return settlement;
    settlement.restarted = settlement.restarted || jump.restarted;
    if (indicators == 0) return settlement;
    assembler.calcIndicators(state, values);
    if (std::none_of(values.begin(), values.end(), [](double g) { return g < 0.0; })) {
      return settlement;
    }
    if (round == rounds) {
      settlement.trouble = describeCycling(assembler.system(), before, state);
      return settlement;
    }
    if (round + 1 == rounds) before = state;
    dueClocks.clear();
    assembler.switchModes(state);
    settlement.hasSwitched = true;
  }
}

}  // namespace

Settlement settleBranches(system::Assembler& assembler, solve::MassSystem& massSystem, State& state,
                          const std::vector<bool>& dueClocks, double before) {
  const bool hasDrives = massSystem.signals().hasDrives();
  std::vector<double> rates;
  if (hasDrives) {
    State then = state;
    then.time = before;
    rates = solve::calcDriveRates(massSystem, std::move(then));
  }
  Settlement settlement = switchUntilSettled(assembler, massSystem, state, dueClocks);
  if (!settlement.trouble.empty() || !hasDrives) return settlement;
  settlement.velocitiesJump =
      solve::haveDriveRatesJumped(massSystem, rates, solve::calcDriveRates(massSystem, state)) &&
      solve::followDriveRates(assembler, massSystem, state);
  return settlement;
}

ConsistentStart settleStart(system::Assembler& assembler, solve::MassSystem& massSystem,
                            State& state) {
  ConsistentStart start;
  start.report = solve::makeConsistent(assembler, massSystem, state);
  start.trouble = start.report.trouble;
  if (!start.report.ok) return start;
  std::vector<bool> due;
  for (const system::Clock& clock : assembler.system().clocks()) {
    due.push_back(clock.offset == 0.0);
  }
  start.trouble = settleBranches(assembler, massSystem, state, due, state.time).trouble;
  return start;
}

}  // namespace flexloop::analysis
