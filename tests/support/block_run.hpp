// Models of blocks that a test runs in time, and what a user is told about wrong ones.
#pragma once

#include <string>

#include "analysis/time_analysis.hpp"
#include "support/record.hpp"

namespace flexloop::test {

struct BlockRun {
  Record record;
  analysis::TimeReport report;

  double at(double time, const std::string& name) const { return record.at(time, name); }
  double last(const std::string& name) const { return record.column(name).back(); }
};

// Runs the text of a model without its first line, to `end` in steps of `step`, and records what
// `outputs` lists, as `[x, y]`. Throws std::runtime_error if the run fails.
BlockRun runBlocks(const std::string& text, const std::string& outputs, double end, double step,
                   const std::string& options = "");

// What is said about the model; "no error\n" if nothing.
std::string messageOfBlocks(const std::string& text);

// A cart of 2 kg with a sensor x, at 0.1 m, which the signal u pushes along x.
std::string cartAnd(const std::string& blocks);

}  // namespace flexloop::test
