// `sweep --do frf` and `--do linearize`: the analyses of linear_request.hpp at every point.
#pragma once

#include <vector>

#include "commands/requests.hpp"
#include "reports/linear_sweep_text.hpp"

namespace flexloop::commands {

// For other analyses: options that they would not heed. Throws base::InputError, also below.
void rejectLinearOptions(const SweepRequest& request);

// Responses have the same frequencies at all points. `source` has no ranges.
reports::ResponseSweep sweepResponses(const SweepRequest& request, const api::ModelSource& source,
                                      const std::vector<study::SweepAxis>& axes,
                                      const study::Pace& pace, const Console& console);
reports::StateSpaceSweep sweepStateSpaces(const SweepRequest& request,
                                          const api::ModelSource& source,
                                          const std::vector<study::SweepAxis>& axes,
                                          const study::Pace& pace, const Console& console);

}  // namespace flexloop::commands
