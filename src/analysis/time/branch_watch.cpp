#include "analysis/time/branch_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/time/crossing_search.hpp"
#include "analysis/time/idle_events.hpp"
#include "analysis/time/inner_state.hpp"
#include "control/blocks/block_set.hpp"
#include "solve/switch_settlement.hpp"

namespace flexloop::analysis {

using system::State;

namespace {

// Parts of a step that are looked at one by one, at most.
constexpr double kMostParts = 64.0;

bool isAnyNegative(const std::vector<double>& values, const std::vector<bool>& located) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (located[i] && values[i] < 0.0) return true;
  }
  return false;
}

}  // namespace

BranchWatch::BranchWatch(system::Assembler& assembler, const std::vector<system::Switch>& switches)
    : assembler_(assembler), switches_(switches), located_(assembler.locatedIndicators()) {
  const std::vector<bool> idle = findIdleEvents(assembler.system());
  for (std::size_t i = 0; i < located_.size(); ++i) located_[i] = located_[i] && !idle[i];
  located_.resize(located_.size() + switches.size(), true);
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  hasDelays_ = blocks != nullptr && !blocks->delays().empty();
}

void BranchWatch::calcIndicators(const State& state, std::vector<double>& values) {
  assembler_.calcIndicators(state, values);
  if (!switches_.empty()) solve::calcSwitchIndicators(switches_, assembler_, state, values);
}

void BranchWatch::beginStep(const State& state) {
  if (located_.empty()) return;
  calcIndicators(state, before_);
  history_.beginStep(state.time, before_);
}

bool BranchWatch::restore(const IndicatorHistory& history) {
  for (const auto* values : {&history.start, &history.before, &history.end, &history.largest}) {
    if (!values->empty() && values->size() != located_.size()) return false;
  }
  history_ = history;
  return true;
}

// The first of some places inside of a step at which a branch has ended, as a share of it; 1: there is none before the end.
double BranchWatch::lookInside(solve::SignalSystem& signals, const State& from, const State& to) {
  const double parts = std::min(std::ceil((to.time - from.time) / longestBlindStep_), kMostParts);
  for (double k = 1.0; k < parts; k += 1.0) {
    const double share = k / parts;
    exact_ = interpolate(from, to, share);
    if (signals.solve(exact_)) continue;
    calcIndicators(exact_, after_);
    if (isAnyNegative(after_, located_)) return share;
  }
  return 1.0;
}

// The first block whose branch has ended at the last place that was looked at.
// Of other elements than blocks, their kind.
std::string BranchWatch::nameEnding() const {
  const control::BlockSet* blocks = control::findBlocks(assembler_.system());
  std::size_t next = 0;
  for (const system::Branching* set : assembler_.system().roles().branching) {
    const auto* elements = dynamic_cast<const system::ElementSet*>(set);
    const bool isBlocks = elements == blocks;
    for (int e = 0; e < (isBlocks ? blocks->size() : 1); ++e) {
      const int count = isBlocks ? blocks->block(e).indicators() : set->indicators();
      for (int i = 0; i < count; ++i, ++next) {
        const bool hasEnded = next < after_.size() && located_[next] && after_[next] < 0.0;
        if (hasEnded) return isBlocks ? blocks->name(e) : std::string(elements->type());
      }
    }
  }
  next = after_.size() - std::min(after_.size(), switches_.size());
  for (const system::Switch& s : switches_) {
    if (next < after_.size() && after_[next++] < 0.0) return s.name();
  }
  return {};
}

// The step once more, with another length.
bool BranchWatch::repeat(solve::TimeStepper& stepper, State& state, double length, double end,
                         Location& location) {
  stepper.reject(state);
  const solve::StepReport step = stepper.step(state, length, end);
  location.iterations += step.iterations;
  location.factorizations += step.factorizations;
  if (step.failure) {
    location.search = Search::kFailed;
    location.block = nameEnding();
    location.reason = step.failure->message;
    return false;
  }
  sharpen(stepper.massSystem().signals(), state.time, state);
  calcIndicators(state, after_);
  return true;
}

// Branches that have ended and begun again inside of a step: it is repeated up to where one is over, or as it was.
bool BranchWatch::lookAtTouches(solve::TimeStepper& stepper, State& state, double& length,
                                double shortest, Location& location) {
  const double begin = stepper.previous().time, end = state.time;
  TouchSearch search(history_, length, after_, located_);
  bool hasLooked = false;
  while (const std::optional<double> share = search.next()) {
    if (*share * length < shortest) break;
    hasLooked = true;
    if (!repeat(stepper, state, *share * length, begin + *share * length, location)) return false;
    if (isAnyNegative(after_, located_)) {
      length *= *share;
      return true;
    }
    search.add(*share, after_);
  }
  return !hasLooked || repeat(stepper, state, length, end, location);
}

BranchWatch::Location BranchWatch::locate(solve::TimeStepper& stepper, State& state, double length,
                                          double shortest) {
  Location location;
  if (located_.empty() || !chatter_.locates()) return location;
  const double begin = stepper.previous().time, target = state.time;
  if (length > longestBlindStep_) {
    const double share = lookInside(stepper.massSystem().signals(), stepper.previous(), state);
    if (share < 1.0 && share * length >= shortest) {
      length *= share;
      if (!repeat(stepper, state, length, begin + length, location)) return location;
    }
  }
  calcIndicators(state, after_);
  if (!isAnyNegative(after_, located_) &&
      !lookAtTouches(stepper, state, length, shortest, location)) {
    return location;
  }
  const double end = state.time;
  CrossingSearch search(before_, after_, located_, shortest / length);
  if (search.hasCrossing()) {
    do {
      const double fraction = search.next();
      const double time = fraction < 1.0 ? begin + fraction * length : end;
      if (!repeat(stepper, state, fraction * length, time, location)) return location;
    } while (!search.accept(after_));
    if (state.time != target) chatter_.addEvent(state.time, target);
    if (!chatter_.locates() && chatteringBlock_.empty()) chatteringBlock_ = nameEnding();
  }
  if (state.time != target) location.search = Search::kFound;
  history_.end = after_;
  return location;
}

void BranchWatch::sharpen(solve::SignalSystem& signals, double time, State& state) {
  exact_ = state;
  exact_.time = time;
  if (signals.solve(exact_)) return;
  assembler_.updateHistory(exact_);
  exact_.time = state.time;
  std::swap(state, exact_);
}

bool BranchWatch::haveEnded(const State& state) {
  if (located_.empty()) return false;
  calcIndicators(state, after_);
  return std::any_of(after_.begin(), after_.end(), [](double g) { return g < 0.0; });
}

}  // namespace flexloop::analysis
