// How long steps may be to follow the functions of time in a model (docs/theory/09_time.md, section 9.11). A scheme sees a
// source at the ends of its steps: what it does between them is lost, and a sine of one period per step is a constant.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "system/clock.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

class SourceSteps {
 public:
  // Of a run from zero to `end`; formulas of the time with inputs are taken at those of the start.
  SourceSteps(const system::System& system, const system::State& start, double end);

  struct Limit {
    double step = 0.0;    // the longest that follows all sources, up to the one asked for
    std::string source;   // that needs it; empty: none
    double missed = 0.0;  // share of its variation that is between steps of the length asked for
  };
  // So that between steps no more than this share of the variation of any source is missed.
  Limit findLimit(double longest, double share) const;

 private:
  struct Source {
    std::string name;
    std::function<double(double)> at;
    double variance = 0.0;
  };
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
