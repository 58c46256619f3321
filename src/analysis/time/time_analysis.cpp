#include "analysis/time/time_analysis.hpp"

#include "analysis/time/time_run.hpp"

namespace flexloop::analysis {

TimeReport runTime(const model::Model& model, const TimeSettings& settings, Observer& observer,
                   const RunPlan& plan) {
  return TimeRun(model, settings, observer, plan).run();
}

}  // namespace flexloop::analysis
