// Writes a run to its files and shows how far it has come.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time_analysis.hpp"
#include "base/log.hpp"
#include "io/csv_writer.hpp"
#include "io/progress.hpp"
#include "io/result_writer.hpp"

namespace flexloop::io {

struct RecorderOptions {
  std::string resultFile;
  std::string csvFile;  // empty: none
  ResultHead head;
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
  void onCheckpoint(const analysis::RunPoint& point) override { options_.keepCheckpoint(point); }

  // Brings everything to the files; `complete` says whether the run came to its end.
  void finish(bool complete);

  std::size_t records() const { return result_.records(); }
  const std::vector<double>& lastOutputs() const { return lastOutputs_; }
  double elapsed() const { return progress_.elapsed(); }

 private:
  RecorderOptions options_;
  ResultWriter result_;
  std::optional<CsvWriter> csv_;
  Progress progress_;
  std::vector<double> lastOutputs_;
};

// What the search for a consistent start has changed; empty if no more than round-off.
std::vector<std::string> describeStart(const solve::StartReport& report);

}  // namespace flexloop::io
