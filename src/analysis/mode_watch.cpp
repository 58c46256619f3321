#include "analysis/mode_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/crossing_search.hpp"
#include "solve/initial_conditions.hpp"

namespace flexloop::analysis {

using system::State;

namespace {

// Rounds at one instant beyond one for each indicator, which a cascade may need.
constexpr int kMoreRounds = 20;
constexpr double kSameSignal = 1e-9;

}  // namespace

ModeWatch::ModeWatch(system::Assembler& assembler, solve::MassSystem& massSystem)
    : assembler_(assembler), massSystem_(massSystem), located_(assembler.locatedIndicators()) {}

void ModeWatch::beginStep(const State& state) {
  if (!located_.empty()) assembler_.calcIndicators(state, before_);
}

ModeWatch::Location ModeWatch::locate(solve::TimeStepper& stepper, State& state, double length,
                                      double shortest) {
  Location location;
  if (located_.empty() || !chatter_.locates()) return location;
  assembler_.calcIndicators(state, after_);
  CrossingSearch search(before_, after_, located_, shortest / length);
  if (!search.hasCrossing()) return location;
  const double end = state.time;
  do {
    stepper.reject(state);
    const double fraction = search.next();
    const double time = fraction < 1.0 ? state.time + fraction * length : end;
    const solve::StepReport step = stepper.step(state, fraction * length, time);
    location.iterations += step.iterations;
    location.factorizations += step.factorizations;
    if (!step.converged) {
      location.search = Search::kFailed;
      return location;
    }
    assembler_.calcIndicators(state, after_);
  } while (!search.accept(after_));
  if (state.time == end) return location;
  chatter_.addEvent(state.time);
  location.search = Search::kFound;
  return location;
}

bool ModeWatch::haveEnded(const State& state) {
  if (located_.empty()) return false;
  assembler_.calcIndicators(state, after_);
  return std::any_of(after_.begin(), after_.end(), [](double g) { return g < 0.0; });
}

ModeWatch::Settlement ModeWatch::settle(State& state, std::vector<bool> dueClocks, double before) {
  Settlement settlement;
  const bool hasDrives = massSystem_.signals().hasDrives();
  std::vector<double> rates;
  if (hasDrives) {
    State then = state;
    then.time = before;
    rates = solve::calcDriveRates(massSystem_, std::move(then));
  }
  settleModes(state, std::move(dueClocks), settlement);
  if (!settlement.trouble.empty() || !hasDrives) return settlement;
  settlement.velocitiesJump =
      solve::haveDriveRatesJumped(rates, solve::calcDriveRates(massSystem_, state)) &&
      solve::followDriveRates(assembler_, massSystem_, state);
  return settlement;
}

void ModeWatch::settleModes(State& state, std::vector<bool> dueClocks, Settlement& settlement) {
  const int rounds = static_cast<int>(located_.size()) + kMoreRounds;
  State before;
  for (int round = 0;; ++round) {
    // Rates and accelerations may jump where no signal does, after a mode has switched.
    const solve::JumpReport jump =
        solve::restartAfterJump(assembler_, massSystem_, state, dueClocks, round > 0);
    settlement.trouble = jump.trouble;
    if (!settlement.trouble.empty()) return;
    settlement.restarted = settlement.restarted || jump.restarted;
    if (!haveEnded(state)) return;
    if (round == rounds) {
      settlement.trouble = describeFight(before, state);
      return;
    }
    if (round + 1 == rounds) before = state;
    dueClocks.clear();
    assembler_.switchModes(state);
  }
}

std::string ModeWatch::describeFight(const State& before, const State& after) const {
  const system::System& system = assembler_.system();
  std::string names;
  for (int u = 0; u < after.value.size(); ++u) {
    if (system.kinds()[u] != system::Kind::kSignal) continue;
    if (std::abs(after.value[u] - before.value[u]) <= kSameSignal) continue;
    names += (names.empty() ? "'" : ", '") + system.equationName(system::UnknownIndex{u}) + "'";
  }
  return "blocks switch each other without end: " + names +
         "; a delay or a hysteresis in the loop ends it";
}

}  // namespace flexloop::analysis
