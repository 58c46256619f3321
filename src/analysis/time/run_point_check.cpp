#include "analysis/time/run_point_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/diagnostics.hpp"
#include "control/blocks/record_check.hpp"
#include "system/gathering.hpp"

namespace flexloop::analysis {

bool isStateOf(const model::Model& model, const system::State& state) {
  const system::State& start = model.start();
  const auto isVector = [&](const Eigen::VectorXd& x) {
    return x.size() == model.system().unknowns() && x.allFinite();
  };
  const auto isFinite = [](double x) { return std::isfinite(x); };
  return std::isfinite(state.time) && state.frames.size() == start.frames.size() &&
         std::all_of(
             state.frames.begin(), state.frames.end(),
             [](const auto& frame) { return frame.R.allFinite() && frame.x.allFinite(); }) &&
         isVector(state.value) && isVector(state.rate) && isVector(state.acceleration) &&
         isVector(state.algorithmic) && state.records.size() == start.records.size() &&
         system::findHistorySize(model.system(), state) == static_cast<int>(state.history.size()) &&
         std::all_of(state.history.begin(), state.history.end(), isFinite);
}

void refusePoint(const std::string& what) {
  throw base::InputError(
      {}, "the checkpoint does not fit: " + what + " does not match this model with these settings",
      "continue with the model and the settings of the run that wrote it");
}

void checkPoint(const model::Model& model, const RunPoint& point) {
  if (!isStateOf(model, point.state)) refusePoint("the state");
  const std::string strange = control::findStrangeRecord(model.system(), point.state);
  if (!strange.empty()) refusePoint("the memory of the block '" + strange + "'");
  const ChatterGuard::Position& chatter = point.chatter;
  if (std::min({chatter.events, chatter.pause, chatter.nextPause, chatter.quietSteps}) < 0) {
    refusePoint("the count of events");
  }
  if (point.recordedSteps < 0) refusePoint("the place among the records");
  const StepControl::Position& control = point.control;
  const bool isPlace = control.next >= 0 && std::isfinite(control.step) && control.step > 0.0 &&
                       std::isfinite(control.length);
  if (!isPlace) refusePoint("the place among the steps");
}

}  // namespace flexloop::analysis
