// The branches of elements in a simulation: where they end, and what follows when they do
// (docs/theory/12_blocks.md, section 12.2).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/time/chatter_guard.hpp"
#include "analysis/time/touch_search.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/assembler.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {

class BranchWatch {
 public:
  BranchWatch(system::Assembler& assembler, const std::vector<system::Switch>& switches);

  // Steps that are longer are looked into: sources may end a branch and begin it again inside of them.
  void setLongestBlindStep(double step) { longestBlindStep_ = step; }

  void beginStep(const system::State& state);

  enum class Search : std::uint8_t { kNone, kFound, kFailed };
  struct Location {
    Search search = Search::kNone;
    int iterations = 0, factorizations = 0;
    std::string block, reason;  // where it failed: whose branch ends, and why no step ends there
  };
  // After a step of the length: where a branch ends inside of it, the step is repeated to end there, but
  // is not shorter than `shortest`. If a shorter step fails, the state is the one before the step.
  [[nodiscard]] Location locate(solve::TimeStepper& stepper, system::State& state, double length,
                                double shortest);

  bool haveEnded(const system::State& state);

  // After a step, signals as its motions and states give them, with sources of the time, and what blocks remember of them. An
  // iteration leaves them beside by up to its tolerance: a branch that is over would not be when they are found again, and a
  // delay would take the difference for a jump.
  void sharpen(solve::SignalSystem& signals, double time, system::State& state);
  bool hasDelays() const { return hasDelays_; }

  void endStep() { chatter_.endStep(); }
  ChatterGuard& chatter() { return chatter_; }

  // For a checkpoint, and back; false where it is that of other branches.
  const IndicatorHistory& history() const { return history_; }
  [[nodiscard]] bool restore(const IndicatorHistory& history);

  // The first that has switched too often to be located; empty: none.
  const std::string& chatteringBlock() const { return chatteringBlock_; }

 private:
  std::string nameEnding() const;
  double lookInside(solve::SignalSystem& signals, const system::State& from,
                    const system::State& to);
  bool repeat(solve::TimeStepper& stepper, system::State& state, double length, double end,
              Location& location);
  bool lookAtTouches(solve::TimeStepper& stepper, system::State& state, double& length,
                     double shortest, Location& location);

  void calcIndicators(const system::State& state, std::vector<double>& values);

  system::Assembler& assembler_;
  const std::vector<system::Switch>& switches_;  // their indicators come after those of blocks
  std::vector<bool> located_;                    // by indicator
  std::vector<double> before_, after_;           // indicators at the start and at the end of a step
  IndicatorHistory history_;
  system::State exact_;  // workspace
  bool hasDelays_ = false;
  double longestBlindStep_ = std::numeric_limits<double>::infinity();
  ChatterGuard chatter_;
  std::string chatteringBlock_;
};

}  // namespace flexloop::analysis
