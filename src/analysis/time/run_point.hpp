// Everything that a run knows at one time: the checkpoint. A run that goes on from it takes the same
// steps, bit for bit, as the one that made it.
#pragma once

#include <vector>

#include "solve/time/stepper_memory.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

struct RunPoint {
  system::State state;
  solve::StepperMemory stepper;
  std::vector<double> control;  // of the StepControl
  std::vector<double> clock;    // of the records
  std::vector<double> chatter;  // of the ChatterGuard
  std::vector<double> start;    // not empty: the scheme starts anew in the next step
};

// Where a run starts and what it keeps on the way.
struct RunPlan {
  const RunPoint* from = nullptr;   // null: from the initial conditions
  std::vector<double> checkpoints;  // ascending; taken at the first step that ends there or later
};

}  // namespace flexloop::analysis
