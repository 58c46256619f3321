#include "io/run_recorder.hpp"

#include <utility>

#include "io/text_format.hpp"

namespace flexloop::io {
namespace {

// Of lengths in m, angles in rad and their rates: what digits in a file and round-off explain.
constexpr double kNoChange = 1e-9;

}  // namespace

RunRecorder::RunRecorder(RecorderOptions options)
    : options_(std::move(options)),
      result_(options_.resultFile, options_.head),
      progress_(options_.progress) {
  if (!options_.csvFile.empty()) csv_.emplace(options_.csvFile, options_.head.outputs);
}

void RunRecorder::onStart(const solve::StartReport& report) {
  for (const std::string& line : describeStart(report)) options_.log->warn(line);
}

void RunRecorder::onRecord(const system::State& state, const std::vector<double>& outputs) {
  result_.write(state.time, outputs, state.frames);
  if (csv_) csv_->write(state.time, outputs);
  lastOutputs_ = outputs;
}

bool RunRecorder::onStep(double time) {
  progress_.update(time);
  return options_.stopRequest == nullptr || *options_.stopRequest == 0;
}

void RunRecorder::finish(bool complete) {
  progress_.finish();
  result_.finish(complete);
  if (csv_) csv_->close();
}

std::vector<std::string> describeStart(const solve::StartReport& report) {
  std::vector<std::string> lines;
  if (report.positionChange > kNoChange) {
    lines.push_back(formatText("positions moved by up to %.3g to close the joints (most: %s)",
                               report.positionChange, report.positionWhere.c_str()));
  }
  if (report.velocityChange > kNoChange) {
    lines.push_back(formatText("velocities changed by up to %.3g to fit the joints (most: %s)",
                               report.velocityChange, report.velocityWhere.c_str()));
  }
  return lines;
}

}  // namespace flexloop::io
