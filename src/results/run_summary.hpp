// What a run has done, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/time/time_analysis.hpp"
#include "results/result_writer.hpp"

namespace flexloop::results {

struct RunSummary {
  std::string title;
  analysis::TimeReport report;
  std::vector<std::string> outputs;
  std::vector<double> lastValues;  // of the outputs; empty if the run did not start
  std::size_t records = 0;
  double wallTime = 0.0;         // seconds
  std::string resultFile;        // empty if the run made no step, and so left alone what was there
  std::string failedStepFile{};  // empty: no step was without a solution
};

// What a result file keeps of the end of a run.
ResultEnd describeEnd(const analysis::TimeReport& report);

std::vector<std::string> describeRun(const RunSummary& summary);

// When and where it failed, in the user's names, and what to try.
base::Failure describeFailure(const RunSummary& summary);

// Wall times are left out: same input, same bits.
void writeRunJson(const std::string& path, const RunSummary& summary);

}  // namespace flexloop::results
