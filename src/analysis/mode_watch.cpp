#include "analysis/mode_watch.hpp"

#include <algorithm>
#include <utility>

#include "analysis/crossing_search.hpp"
#include "control/block_set.hpp"

namespace flexloop::analysis {

using system::State;

ModeWatch::ModeWatch(system::Assembler& assembler)
    : assembler_(assembler), located_(assembler.locatedIndicators()) {
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  hasDelays_ = blocks != nullptr && !blocks->delays().empty();
}

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
    sharpen(stepper.massSystem().signals(), state.time, state);
    assembler_.calcIndicators(state, after_);
  } while (!search.accept(after_));
  if (state.time == end) return location;
  chatter_.addEvent(state.time);
  location.search = Search::kFound;
  return location;
}

void ModeWatch::sharpen(solve::SignalSystem& signals, double time, State& state) {
  exact_ = state;
  exact_.time = time;
  if (!signals.solve(exact_).empty()) return;
  assembler_.updateHistory(exact_);
  exact_.time = state.time;
  std::swap(state, exact_);
}

bool ModeWatch::haveEnded(const State& state) {
  if (located_.empty()) return false;
  assembler_.calcIndicators(state, after_);
  return std::any_of(after_.begin(), after_.end(), [](double g) { return g < 0.0; });
}

}  // namespace flexloop::analysis
