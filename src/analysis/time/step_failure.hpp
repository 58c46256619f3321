// Why a step has no solution that is found, however short it is made: by what its iteration did at the last.
#pragma once

#include "base/result.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

// The failure of the step with the elements that are at work, the likely reason, and what to try.
base::Failure explainFailure(const system::System& system, const solve::StepReport& step,
                             double length, const solve::StepTrouble& trouble);

}  // namespace flexloop::analysis
