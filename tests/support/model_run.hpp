// A model that a test writes down: built as the program builds it, run in time, and read.
//
//     const ModelRun run = runModel("blocks: {y: {type: ramp, slope: 2}}\n", "y", "end: 1, step: 0.1");
//     EXPECT_NEAR(run.at(0.5, "y"), 1.0, 1e-12);
//     EXPECT_TRUE(says(mistakesOf("blocks: {y: {type: rump}}\n"), "did you mean 'ramp'"));
//
// The text is that of the file m.yaml without its first line `flexloop: 1`. Its folder is that of the
// program, where boxes/ has the black boxes of the tests.
#pragma once

#include <string>
#include <vector>

#include "analysis/time/time_analysis.hpp"
#include "language/model_reader.hpp"
#include "model/model.hpp"
#include "support/record.hpp"

namespace flexloop::test {

// Throws base::InputError if the model is wrong.
model::Model buildModel(const std::string& text, const language::Overrides& overrides = {});

// All that is said about a wrong model, with places as m.yaml:2:5; empty if the model is right.
std::string mistakesOf(const std::string& text);

struct ModelRun {
  analysis::TimeReport report;
  Record record;
  std::vector<double> stepEnds;  // all, also those at the ends of branches
  system::State lastState;       // that was recorded

  const std::vector<double>& times() const { return record.times(); }
  const std::vector<double>& column(const std::string& output) const {
    return record.column(output);
  }
  double at(double time, const std::string& output) const { return record.at(time, output); }
  double last(const std::string& output) const { return column(output).back(); }
  // The ends of steps that were not recorded: those where branches ended, and breaks off the grid.
  std::vector<double> interruptions() const;
};

// Runs `analysis: time` of the model. Where they are given, `outputs: [OUTPUTS]` and
// `analysis: {time: {TIME}}` go behind the text. Throws std::runtime_error if the run fails.
ModelRun runModel(const std::string& text, const std::string& outputs = {},
                  const std::string& time = {});
ModelRun runModel(const model::Model& model);
ModelRun runModel(const model::Model& model, const model::TimeSettings& settings);

// The same for runs that may fail: the report tells why, and the record what came before.
ModelRun tryModel(const std::string& text, const std::string& outputs = {},
                  const std::string& time = {});

}  // namespace flexloop::test
