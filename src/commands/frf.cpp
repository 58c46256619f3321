#include <cmath>
#include <memory>

#include "base/text_format.hpp"
#include "commands/linear_request.hpp"
#include "reports/response_text.hpp"

namespace flexloop::commands {
namespace {

constexpr int kMostPoints = 1000000;

// A cut alone is the response from its signal to itself.
analysis::PortNames readNames(const FrfRequest& request) {
  analysis::PortNames names{request.from, request.to, request.cut};
  if (names.inputs.empty() && !names.cut.empty()) names.inputs = {names.cut};
  if (names.outputs.empty() && !names.cut.empty()) names.outputs = {names.cut};
  if (names.inputs.empty()) reject("no input is given", "add '--from SIGNAL'");
  if (names.outputs.empty()) reject("no output is given", "add '--to SIGNAL'");
  return names;
}

void checkFrequencies(const FrfRequest& request) {
  if (request.points < 1 || request.points > kMostPoints) {
    reject("--points must be from 1 to 1000000, not " + std::to_string(request.points),
           "200 is typical");
  }
  if (!request.range.empty() && !request.frequencies.empty()) {
    reject("--range cannot be combined with --frequencies", "give only one of them");
  }
  for (const double f : request.frequencies) {
    if (!(f >= 0.0) || !std::isfinite(f)) {
      reject("--frequencies: " + base::numberText(f) + " is not a frequency of 0 Hz or more",
             "in Hz, as in '--frequencies 0.3,0.9'");
    }
  }
}

// `LOW:HIGH` in Hz.
api::FrequencyRange readRange(const FrfRequest& request) {
  const std::string hint = "in Hz, as in '--range 0.1:100'";
  const std::string& text = request.range;
  const std::size_t colon = text.find(':');
  api::FrequencyRange range;
  std::size_t lowEnd = 0, highEnd = 0;
  try {
    if (colon == std::string::npos) throw std::invalid_argument("no colon");
    range.low = std::stod(text.substr(0, colon), &lowEnd);
    range.high = std::stod(text.substr(colon + 1), &highEnd);
  } catch (const std::logic_error&) {
    reject("--range '" + text + "' is not LOW:HIGH", hint);
  }
  if (lowEnd != colon || highEnd != text.size() - colon - 1) {
    reject("--range '" + text + "' is not LOW:HIGH", hint);
  }
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    reject("--range '" + text + "' is infinite", hint);
  }
  if (range.high < range.low) {
    reject("--range '" + text + "' ends below its start",
           "write '--range " + text.substr(colon + 1) + ":" + text.substr(0, colon) + "'");
  }
  if (range.high == range.low) {
    reject("--range '" + text + "' is empty",
           "'--frequencies " + text.substr(0, colon) + "' gives one frequency");
  }
  if (range.low < 0.0 || (range.low == 0.0 && !request.linear)) {
    reject("--range must start above 0 Hz", "with '--linear' it may start at 0");
  }
  return range;
}

class FrfCommand {
 public:
  FrfCommand(const FrfRequest& request, const Console& console)
      : request_(request), console_(console), command_(request, readNames(request), console) {
    checkFrequencies(request);
    if (!request.range.empty()) range_ = readRange(request);
  }

  api::FrequencyRange findRange() {
    command_.linearize(true);
    return request_.range.empty() ? api::findModeRange(command_.machine()) : range_;
  }

  reports::ResponseReport calc() {
    range_ = findRange();
    const std::vector<double> frequencies =
        request_.frequencies.empty()
            ? analysis::makeFrequencies(range_.low, range_.high, request_.points, request_.linear)
            : request_.frequencies;
    const api::LinearMachine& machine = command_.machine();
    api::Response result = api::calcResponse(machine, frequencies, range_);
    const analysis::PortNames& names = machine.ports().names;
    if (result.isCutIdle) {
      console_.warn("--cut: '" + names.cut +
                        "' is not part of a loop: nothing that it affects feeds back to it",
                    "cut at a signal of the loop, such as an actuator or the block that it reads");
    }
    return {command_.title(),           machine.state().time,   names,
            std::move(result.response), std::move(result.loop), command_.about()};
  }

  void check() const { command_.checkOperatingPoint(); }

 private:
  const FrfRequest& request_;
  const Console& console_;
  LinearCommand command_;
  api::FrequencyRange range_;
};

}  // namespace

reports::ResponseReport calcResponse(const FrfRequest& request, const Console& console) {
  return FrfCommand(request, console).calc();
}

api::FrequencyRange findRange(const FrfRequest& request, const Console& console) {
  return FrfCommand(request, console).findRange();
}

void checkRequest(const FrfRequest& request, const Console& console) {
  FrfCommand(request, console).check();
}

void frf(const FrfRequest& request, const Console& console) {
  const reports::ResponseReport report = calcResponse(request, console);
  console.print(reports::describeResponse(report));
  console.print(reports::describeMargins(report));
  const Targets& targets = request.targets;
  if (!targets.jsonFile.empty()) reports::writeResponseJson(targets.jsonFile, report);
  if (!targets.csvFile.empty()) reports::writeResponseCsv(targets.csvFile, report);
  if (!targets.figureFile.empty()) reports::writeResponseSvg(targets.figureFile, report);
}

void declareFrf(Call& call) {
  const auto request = std::make_shared<FrfRequest>();
  call.addModelOptions();
  call.add(portOptions(*request));
  call.add(stateOptions(*request));
  call.add(frequencyOptions(*request));
  call.addFigureOption("--svg", "Bode figure; - for standard output");
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    frf(*request, console);
  };
}

}  // namespace flexloop::commands
