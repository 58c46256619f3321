#include "results/run_recorder.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "base/text_format.hpp"
#include "files/output_file.hpp"

namespace flexloop::results {
namespace {

namespace fs = std::filesystem;

// Of lengths in m, angles in rad and their rates: what digits in a file and round-off explain.
constexpr double kNoChange = 1e-9;
constexpr std::size_t kReserve = std::size_t{8}
                                 << 20;  // bytes; they are not touched, and so cost nothing

}  // namespace

RunRecorder::RunRecorder(RecorderOptions options)
    : options_(std::move(options)),
      progress_(options_.progress),
      reserve_(std::malloc(kReserve), std::free) {
  if (reserve_ == nullptr) throw std::bad_alloc();
}

void RunRecorder::open() {
  result_.emplace(options_.resultFile, options_.head, options_.start);
  resultFile_ = files::partialName(options_.resultFile);
  std::error_code ignored;
  if (!options_.failedStepFile.empty()) fs::remove(options_.failedStepFile, ignored);
  if (!options_.csvFile.empty()) csv_.emplace(options_.csvFile, options_.head.outputs);
  if (records_ > 0) write(startTime_, lastOutputs_, startFrames_, startPartModes_);
  startFrames_ = {};
}

void RunRecorder::onStart(const solve::StartReport& report) {
  for (const std::string& line : describeStart(report)) options_.log->warn(line);
}

void RunRecorder::onRecord(const system::State& state, const std::vector<double>& outputs) {
  if (records_ == 0) {
    startTime_ = state.time;
    startFrames_ = state.frames;
    startPartModes_ = partModesOf(state);
  } else {
    if (!result_) open();
    write(state.time, outputs, state.frames, partModesOf(state));
  }
  ++records_;
  lastOutputs_ = outputs;
}

void RunRecorder::write(double time, const std::vector<double>& outputs,
                        const std::vector<math::Frame<double>>& frames,
                        const std::vector<double>& partModes) {
  result_->write(time, outputs, frames, partModes);
  if (csv_) csv_->write(time, outputs);
}

std::vector<double> RunRecorder::partModesOf(const system::State& state) const {
  std::vector<double> modes;
  for (const system::UnknownIndex mode : options_.partModes) {
    modes.push_back(state.value[mode.value]);
  }
  return modes;
}

bool RunRecorder::onStep(double time) {
  if (!result_) open();
  result_->update();
  progress_.update(time);
  return options_.stopRequest == nullptr || *options_.stopRequest == 0;
}

// Why the run has failed is worth more than this file.
void RunRecorder::onUnsolved(const system::State& state, const std::vector<double>& outputs) {
  if (options_.failedStepFile.empty()) return;
  try {
    keepUnsolved(state, outputs);
  } catch (const std::exception& error) {
    failedStep_.reset();
    options_.failedStepFile.clear();
    notes_.push_back(std::string("the last iterate is not kept: ") + error.what());
  }
}

void RunRecorder::keepUnsolved(const system::State& state, const std::vector<double>& outputs) {
  const bool isIterate = failedStep_.has_value();
  if (!isIterate) failedStep_.emplace(options_.failedStepFile, options_.head);
  failedStep_->write(state.time, outputs, state.frames, partModesOf(state));
  if (!isIterate) return;
  failedStep_->finish(false, {.verdict = {},
                              .health = {},
                              .message = "the second record is the last iterate of a step without "
                                         "a solution, not a state of the machine"});
  failedStepFile_ = failedStep_->path();
}

// A run that continues from there finds all records before it in the file.
void RunRecorder::onCheckpoint(const analysis::RunPoint& point) {
  if (!result_) open();
  result_->flush();
  options_.keepCheckpoint(point);
}

void RunRecorder::finish(bool complete, const ResultEnd& end) {
  progress_.finish();
  const bool isPlaceFree =
      !fs::exists(options_.resultFile) && !fs::exists(files::partialName(options_.resultFile));
  if (!result_ && (complete || (isPlaceFree && records_ > 0))) open();
  if (!result_) return;
  result_->finish(complete, end);
  resultFile_ = result_->path();
  for (const std::string& file : result_->kept()) {
    notes_.push_back("the results of an earlier run that did not finish are kept in " + file);
  }
  if (csv_) csv_->close();
}

void RunRecorder::rescue() noexcept {
  reserve_.reset();
  try {
    if (result_) finish(false);
  } catch (const std::exception&) {
    // The first exception says what is wrong; the file has what it had before.
  }
}

std::vector<std::string> describeStart(const solve::StartReport& report) {
  std::vector<std::string> lines;
  if (report.positionChange > kNoChange) {
    lines.push_back(base::formatText("positions moved by up to %.3g to close the joints (most: %s)",
                                     report.positionChange, report.positionWhere.c_str()));
  }
  if (report.velocityChange > kNoChange) {
    lines.push_back(
        base::formatText("velocities changed by up to %.3g to satisfy the joints (most: %s)",
                         report.velocityChange, report.velocityWhere.c_str()));
  }
  return lines;
}

}  // namespace flexloop::results
