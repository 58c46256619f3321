// What is said of a run at its end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analysis/time/growth_diagnosis.hpp"
#include "analysis/time/step_failure.hpp"
#include "analysis/time/time_run.hpp"

namespace flexloop::analysis {
namespace {

constexpr double kFewSteps = 0.25;  // of all

}  // namespace

std::string describeTime(const char* before, double time) {
  char text[64];
  std::snprintf(text, sizeof text, "%s%.9g s: ", before, time);
  return text;
}

void TimeRun::noteChatter() {
  if (modes_->chatteringBlock().empty()) return;
  report_.notes.push_back(
      describeTime("from t = ", report_.firstChatter) + "the block '" + modes_->chatteringBlock() +
      "' switches too often for its events to be located; add hysteresis or a lag to its loop");
}

// A few are usual where a motion begins.
void TimeRun::warnOfCoarseSteps() {
  if (static_cast<double>(coarseSteps_) <= kFewSteps * static_cast<double>(report_.steps)) return;
  report_.notes.push_back(
      std::to_string(coarseSteps_) +
      " steps of the shortest length exceed the error tolerance; use a smaller 'min_step'");
}

void TimeRun::judgeRun() {
  if (!watch_) return;
  watch_->addLast(state_);
  report_.health = watch_->report();
  RunHealth& health = report_.health;
  health.steps = report_.steps;
  health.halvedSteps = report_.failedSteps;
  health.rejectedSteps = report_.rejectedSteps;
  health.coarseSteps = coarseSteps_;
  health.isAdaptive = settings_.adaptive.enabled;
  health.turnsFar = !turns_.notes().empty();
  if (report_.energy.isConservative) health.dissipation = report_.energy.dissipatedShare;
  const RunEnd end{.kind = report_.ok()  ? RunEnd::kRegular
                           : isUnsolved_ ? RunEnd::kUnsolved
                                         : RunEnd::kOther,
                   .time = state_.time,
                   .step = control_.nominal(),
                   .hasGained = energy_.hasGained()};
  explainByGrowth(model_, watch_->growth(), end, health);
  if (!isUnsolved_ || !health.growth) return;
  failNow(base::numericalFailure(health.growth->text + "; the last step failed: " + unsolved_,
                                 health.growth->hint));
}

bool TimeRun::fail(base::Failure failure) {
  report_.failure = std::move(failure);
  return false;
}

bool TimeRun::failNow(base::Failure failure) {
  return fail(base::withContext(describeTime("at t = ", state_.time), std::move(failure)));
}

// The equations have no solution, or none that is found.
bool TimeRun::failToSolve(base::Failure failure) {
  isUnsolved_ = true;
  unsolved_ = failure.message;
  return failNow(std::move(failure));
}

// The last one that failed, of this length.
base::Failure TimeRun::explainStep(double length) {
  keepIterate();
  const solve::StepTrouble trouble =
      failedStep_.worst < 0 ? solve::StepTrouble() : stepper_->examine(failedStep_.worst);
  return explainFailure(model_.system(), failedStep_, length, trouble);
}

// What is no number cannot be recorded.
void TimeRun::keepIterate() {
  const system::State* iterate = stepper_->lastIterate();
  if (failedStep_.worst < 0 || iterate == nullptr) return;
  const auto calcOutputs = [this](const system::State& state) {
    model_.outputs().calc(assembler_.calcMotion(state), outputs_);
    return std::all_of(outputs_.begin(), outputs_.end(), [](double y) { return std::isfinite(y); });
  };
  if (!calcOutputs(*iterate)) return;
  const std::vector<double> ofIterate = outputs_;
  if (!calcOutputs(state_)) return;
  observer_.onUnsolved(state_, outputs_);
  observer_.onUnsolved(*iterate, ofIterate);
}

}  // namespace flexloop::analysis
