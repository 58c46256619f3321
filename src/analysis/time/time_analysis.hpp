// Simulation in time: consistent start, then step after step to the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time/run_health.hpp"
#include "base/result.hpp"
#include "model/model.hpp"
#include "solve/start_report.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

using model::TimeSettings;

struct RunPoint;

// Where a run starts and what it keeps on the way.
struct RunPlan {
  const RunPoint* from = nullptr;   // null: from the initial conditions
  std::vector<double> checkpoints;  // ascending; taken at the first step that ends there or later
};

// What happens in a run, for files, progress bars and the like.
class Observer {
 public:
  virtual ~Observer() = default;
  // The start is consistent; first of all calls.
  virtual void onStart(const solve::StartReport& report) = 0;
  // At the start, at the end and at the steps that are to be recorded; one value per output.
  virtual void onRecord(const system::State& state, const std::vector<double>& outputs) = 0;
  // After every step, also one that is taken back; false ends the run.
  virtual bool onStep(double time) = 0;
  // After a step without a solution that is found: the state that it starts from, and then its last iterate.
  virtual void onUnsolved(const system::State& state, const std::vector<double>& outputs) {
    (void)state, (void)outputs;
  }
  // At the times that the plan names.
  virtual void onCheckpoint(const RunPoint& point) { (void)point; }
};

struct EnergyReport {
  double start = 0.0;
  double end = 0.0;
  // What the scheme took away, as a share of the largest exchange between kinetic and potential
  // energy; only where the machine itself keeps its energy.
  bool isConservative = false;
  double dissipatedShare = 0.0;
};

struct TimeReport {
  std::optional<base::Failure> failure;
  bool stopped = false;  // by the observer, which is a failure too
  double time = 0.0;     // reached
  std::int64_t steps = 0;
  std::int64_t failedSteps = 0;      // did not converge, and were repeated with half the length
  std::int64_t rejectedSteps = 0;    // made too large an error, and were repeated shorter
  std::int64_t events = 0;           // ends of branches that were located
  std::int64_t chatteringSteps = 0;  // in which branches end too often to be located
  double firstChatter = 0.0;         // [s] when that began
  std::int64_t iterations = 0;
  std::int64_t factorizations = 0;
  solve::StartReport start;
  EnergyReport energy;
  RunHealth health;
  std::vector<std::string>
      notes;  // of a start at rest that is not quite one, of steps that are too long

  bool ok() const { return !failure; }
};

// Nothing is thrown; the observer has received all that was computed before a failure.
[[nodiscard]] TimeReport runTime(const model::Model& model, const TimeSettings& settings,
                                 Observer& observer, const RunPlan& plan = {});

}  // namespace flexloop::analysis
