// Responses, margins and state equations over parameters, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "reports/response_text.hpp"
#include "reports/state_space_text.hpp"
#include "study/point_sweep.hpp"

namespace flexloop::reports {

using ResponseSweep = study::PointSweep<ResponseReport>;
using StateSpaceSweep = study::PointSweep<analysis::StateSpaceResult>;

// One row per point: the smallest margins of a loop that is cut, or the largest gain of every response.
std::vector<std::string> describeResponseSweep(const ResponseSweep& sweep);
std::vector<std::string> describeStateSpaceSweep(const StateSpaceSweep& sweep);

// `{"parameters": […], "points": [{"parameters": {…}, "ok": true, …}], "complete": …}`, where each point has what
// the JSON of one response, or of one system, has.
void writeResponseSweepJson(const std::string& path, const ResponseSweep& sweep);
void writeStateSpaceSweepJson(const std::string& path, const StateSpaceSweep& sweep);

// One row per point and frequency: `ki,frequency_hz,re(y/u),im(y/u),…,message`.
void writeResponseSweepCsv(const std::string& path, const ResponseSweep& sweep);

// Magnitudes over frequency with one curve per point; one chart for every response.
void writeResponseSweepSvg(const std::string& path, const ResponseSweep& sweep);

}  // namespace flexloop::reports
