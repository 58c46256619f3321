// A model from its text, simulated to its end.
#pragma once

#include <string>
#include <vector>

#include "analysis/time_analysis.hpp"
#include "support/record.hpp"

namespace flexloop::test {

struct Simulation {
  analysis::TimeReport report;
  Record record;
  std::vector<double> stepEnds;  // all, also those at the ends of modes
  system::State last;            // that was recorded

  double lastValue(const std::string& output) const { return record.column(output).back(); }
  // The ends of steps that were not recorded: those where modes ended, and breaks off the grid.
  std::vector<double> interruptions() const;
};

// The text without its first line `flexloop: 1`; it must have an `analysis: time`.
Simulation simulate(const std::string& text);

}  // namespace flexloop::test
