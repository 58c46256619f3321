// How long steps may be to follow the functions of time in a model (docs/theory/09_time.md, section 9.11). A scheme sees a
// source at the ends of its steps: what it does between them is lost, and a sine of one period per step is a constant.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/time_settings.hpp"
#include "system/clock.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

class SourceSteps {
 public:
  // Of a run from zero to `end`; formulas of the time with inputs are taken at those of the start.
  SourceSteps(const system::System& system, const system::State& start, double end);

  // With adaptive steps that are short enough to see all sources, as far as the shortest allows.
  model::TimeSettings limit(const model::TimeSettings& settings) const;
  // Up to the given one, the longest step inside of which no source can end a branch and begin it again.
  double findBlindStep(double longest) const;
  // A source that steps of this length do not follow, with the share that they miss and what helps; or nothing.
  std::string describeMissed(double step) const;

 private:
  struct Limit {
    double step = 0.0;    // [s], the longest that follows all sources, up to the one asked for
    std::string source;   // that needs it; empty: none
    double missed = 0.0;  // share of its variation that is between steps of the length asked for
  };
  struct Source {
    std::string name;
    std::function<double(double)> at;
    double variance = 0.0;
  };
  // So that between steps no more than this share of the variation of any source is missed.
  Limit findLimit(double longest, double share) const;
  void addSources(const system::System& system);
  void addFormulas(const system::System& system, const system::State& start);
  void add(std::string name, std::function<double(double)> function);
  double sampleTime(int k) const;
  double findBreak(double time) const;
  double calcMissed(const Source& source, double step) const;

  double end_;
  std::vector<double> breaks_;         // ascending
  std::vector<system::Clock> clocks_;  // steps end there too
  std::vector<Source> sources_;
};

}  // namespace flexloop::analysis
