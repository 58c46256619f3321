#include "commands/linear_sweep.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

#include "api/study_source.hpp"
#include "base/diagnostics.hpp"
#include "base/text_format.hpp"
#include "commands/linear_request.hpp"
#include "reports/sweep_parts.hpp"

namespace flexloop::commands {
namespace {

using study::Settings;
using study::SweepAxis;

// The analysis of one point as a function of its request.
template <class Request, class Result>
using Find = Result (*)(const Request&, const Console&);

bool hasFrequencies(const FrfRequest& response) {
  const FrfRequest usual;
  return !response.range.empty() || !response.frequencies.empty() || response.linear ||
         response.points != usual.points;
}

template <class Request, class Result>
study::SweepPoint<Result> evaluate(Request request, const Settings& settings, bool isQuiet,
                                   Find<Request, Result> find) {
  study::SweepPoint<Result> point{settings, {}, {}, {}};
  request.model = api::withSettings(std::move(request.model), settings);
  std::ostringstream warnings;
  const Console own{.text = &warnings, .errors = &warnings, .quiet = isQuiet};
  try {
    point.result = find(request, own);
  } catch (const base::InputError& error) {
    point.failure = study::toFailure(error);
    return point;
  } catch (const api::Failed& failed) {
    point.failure = failed.failure();
  }
  point.warnings = warnings.str();
  return point;
}

// What many points say is printed once.
template <class Result>
void printWarnings(const study::PointSweep<Result>& sweep, const Console& console) {
  std::set<std::string> printed;
  for (const study::SweepPoint<Result>& point : sweep.points) {
    if (point.warnings.empty() || !printed.insert(point.warnings).second) continue;
    *console.errors << "at " << reports::settingsText(point.settings) << ":\n" << point.warnings;
  }
}

template <class Request, class Result>
study::PointSweep<Result> sweepRequest(const Request& request, const std::vector<SweepAxis>& axes,
                                       const study::Pace& pace, const Console& console,
                                       Find<Request, Result> find) {
  study::PointSweep<Result> sweep = study::sweepPoints<Result>(
      axes,
      [&](const Settings& settings) { return evaluate(request, settings, console.quiet, find); },
      pace);
  printWarnings(sweep, console);
  return sweep;
}

// One range for all points, so that their responses can be compared: what the first and the last would take.
std::string findCommonRange(const FrfRequest& request, const std::vector<SweepAxis>& axes) {
  Settings first, last;
  for (const SweepAxis& axis : axes) {
    first.push_back({axis.name, axis.values.front()});
    last.push_back({axis.name, axis.values.back()});
  }
  const auto find = [&](const Settings& settings) {
    return evaluate<FrfRequest, api::FrequencyRange>(request, settings, true, findRange);
  };
  study::SweepPoint<api::FrequencyRange> low = find(first), high = find(last);
  if (!low.ok() && !high.ok()) return {};  // every point takes its own
  if (!low.ok()) low.result = high.result;
  if (!high.ok()) high.result = low.result;
  return base::numberText(std::min(low.result.low, high.result.low)) + ":" +
         base::numberText(std::max(low.result.high, high.result.high));
}

template <class Request>
void takeModel(const SweepRequest& sweep, const api::ModelSource& source, Request& request) {
  request.model = source;
  request.at = sweep.modes.at;
  request.about = sweep.modes.about;
}

void rejectOptionsOfModes(const SweepRequest& request) {
  const ModesRequest usual;
  const ModesRequest& modes = request.modes;
  if (modes.count || modes.nearHz || modes.loop != usual.loop || modes.bodies != usual.bodies) {
    reject("--count, --near, --loop and --bodies apply to modes only",
           "use '--do modes'; '--do frf --cut SIGNAL' opens a loop");
  }
  if (!request.figure.empty()) {
    reject("--figure applies to modes only", "omit it");
  }
}

void rejectOptionsOfResponses(const SweepRequest& request) {
  if (!request.response.cut.empty() || hasFrequencies(request.response)) {
    reject("--cut, --range, --points, --linear and --frequencies do not apply to state equations",
           "use '--do frf'");
  }
  if (!request.modes.targets.csvFile.empty() || !request.modes.targets.figureFile.empty()) {
    reject("sweeps of state equations are written as JSON only", "use '--json FILE'");
  }
}

}  // namespace

void rejectLinearOptions(const SweepRequest& request) {
  const FrfRequest& response = request.response;
  const char* hint = "use '--do frf' or '--do linearize'";
  if (!response.from.empty()) reject("--from does not apply to this analysis", hint);
  if (!response.to.empty()) reject("--to does not apply to this analysis", hint);
  if (!response.cut.empty()) reject("--cut does not apply to this analysis", "use '--do frf'");
  if (hasFrequencies(response)) {
    reject("--range, --points, --linear and --frequencies do not apply to this analysis",
           "use '--do frf'");
  }
  if (request.minimal) reject("--minimal applies to state equations only", "use '--do linearize'");
}

reports::ResponseSweep sweepResponses(const SweepRequest& request, const api::ModelSource& source,
                                      const std::vector<SweepAxis>& axes, const study::Pace& pace,
                                      const Console& console) {
  rejectOptionsOfModes(request);
  if (request.minimal) reject("--minimal applies to state equations only", "use '--do linearize'");
  FrfRequest response = request.response;
  takeModel(request, source, response);
  checkRequest(response, console);
  if (response.range.empty() && response.frequencies.empty()) {
    response.range = findCommonRange(response, axes);
  }
  return sweepRequest<FrfRequest, reports::ResponseReport>(response, axes, pace, console,
                                                           calcResponse);
}

reports::StateSpaceSweep sweepStateSpaces(const SweepRequest& request,
                                          const api::ModelSource& source,
                                          const std::vector<SweepAxis>& axes,
                                          const study::Pace& pace, const Console& console) {
  rejectOptionsOfModes(request);
  rejectOptionsOfResponses(request);
  LinearizeRequest linear;
  takeModel(request, source, linear);
  linear.from = request.response.from;
  linear.to = request.response.to;
  linear.minimal = request.minimal;
  checkRequest(linear, console);
  return sweepRequest<LinearizeRequest, analysis::StateSpaceResult>(linear, axes, pace, console,
                                                                    calcStateSpace);
}

}  // namespace flexloop::commands
