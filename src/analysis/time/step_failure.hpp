// Why a step has no solution that is found, however short it is made: by what its iteration did at the last.
#pragma once

#include <string>

#include "solve/time/time_stepper.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

// The trouble of the step with the elements that are at work and the likely reason; in a second line what to try.
std::string explainFailure(const system::System& system, const solve::StepReport& step,
                           double length);

}  // namespace flexloop::analysis
