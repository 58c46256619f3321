// Writes a run to its files and shows how far it has come. Files are made when the first step is done: a run that
// fails before leaves alone what is there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time/time_analysis.hpp"
#include "base/log.hpp"
#include "files/csv_writer.hpp"
#include "results/progress.hpp"
#include "results/result_writer.hpp"
#include "system/unknowns.hpp"

namespace flexloop::results {

struct RecorderOptions {
  std::string resultFile;
  std::string failedStepFile;  // for a step without a solution; empty: none
  std::string csvFile;         // empty: none
  ResultHead head;
  std::vector<system::UnknownIndex>
      partModes;  // whose values are recorded as those that the head names
  ResultWriter::Start start = ResultWriter::Start::kAnew;
  ProgressOptions progress;
  base::Log* log = nullptr;                   // never null
  const volatile int* stopRequest = nullptr;  // not zero: the user wants to stop; may be null
  std::function<void(const analysis::RunPoint&)> keepCheckpoint;  // where there are any
};

class RunRecorder final : public analysis::Observer {
 public:
  explicit RunRecorder(RecorderOptions options);

  void onStart(const solve::StartReport& report) override;
  void onRecord(const system::State& state, const std::vector<double>& outputs) override;
  bool onStep(double time) override;
  void onUnsolved(const system::State& state, const std::vector<double>& outputs) override;
  void onCheckpoint(const analysis::RunPoint& point) override;

  // Brings everything to the files; `complete` says whether the run came to its end.
  void finish(bool complete, const ResultEnd& end = {});
  // The same for a run that an exception ends, as far as that is possible.
  void rescue() noexcept;

  std::size_t records() const { return records_; }
  const std::vector<double>& lastOutputs() const { return lastOutputs_; }
  double elapsed() const { return progress_.elapsed(); }
  const std::string& resultFile() const { return resultFile_; }  // empty: there is none
  // Has the last iterate of a step without a solution; empty: there is none.
  const std::string& failedStepFile() const { return failedStepFile_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void keepUnsolved(const system::State& state, const std::vector<double>& outputs);
  void open();
  void write(double time, const std::vector<double>& outputs,
             const std::vector<math::Frame<double>>& frames, const std::vector<double>& partModes);
  std::vector<double> partModesOf(const system::State& state) const;

  RecorderOptions options_;
  std::optional<ResultWriter> result_;  // from the first step on
  std::optional<ResultWriter> failedStep_;
  std::optional<files::CsvWriter> csv_;
  Progress progress_;
  std::size_t records_ = 0;
  // The record of the start.
  double startTime_ = 0.0;
  std::vector<math::Frame<double>> startFrames_;
  std::vector<double> startPartModes_;
  std::vector<double> lastOutputs_;
  std::string resultFile_, failedStepFile_;
  std::vector<std::string> notes_;
  // Memory for the last flush of a run that has run out of it.
  std::unique_ptr<void, void (*)(void*)> reserve_;
};

// What the search for a consistent start has changed; empty if no more than round-off.
std::vector<std::string> describeStart(const solve::StartReport& report);

}  // namespace flexloop::results
