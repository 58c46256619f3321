#include <cmath>
#include <numbers>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/return_ratio.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/sampled/sampled_response.hpp"
#include "base/text_format.hpp"
#include "commands/guard.hpp"
#include "commands/linear_request.hpp"
#include "commands/mode_options.hpp"
#include "reports/response_text.hpp"

namespace flexloop::commands {
namespace {

constexpr int kModesOfRange = 10;
constexpr double kSlowest = 1e-12;  // beside the fastest: beyond what rounding shows
constexpr double kDecade = 10.0;
constexpr int kMostPoints = 1000000;

// A cut alone is the response from its signal to itself.
analysis::PortNames readNames(const FrfRequest& request) {
  analysis::PortNames names{request.from, request.to, request.cut};
  if (names.inputs.empty() && !names.cut.empty()) names.inputs = {names.cut};
  if (names.outputs.empty() && !names.cut.empty()) names.outputs = {names.cut};
  if (names.inputs.empty()) refuse("no input is given", "add '--from SIGNAL'");
  if (names.outputs.empty()) refuse("no output is given", "add '--to SIGNAL'");
  return names;
}

void checkFrequencies(const FrfRequest& request) {
  if (request.points < 1 || request.points > kMostPoints) {
    refuse("--points must be from 1 to 1000000, not " + std::to_string(request.points),
           "200 is typical");
  }
  if (!request.range.empty() && !request.frequencies.empty()) {
    refuse("--range cannot be combined with --frequencies", "give only one of them");
  }
  for (const double f : request.frequencies) {
    if (!(f >= 0.0) || !std::isfinite(f)) {
      refuse("--frequencies: " + base::numberText(f) + " is not a frequency of 0 Hz or more",
             "in Hz, as in '--frequencies 0.3,0.9'");
    }
  }
}

// `LOW:HIGH` in Hz.
FrequencyRange readRange(const FrfRequest& request) {
  const std::string hint = "in Hz, as in '--range 0.1:100'";
  const std::string& text = request.range;
  const std::size_t colon = text.find(':');
  FrequencyRange range;
  std::size_t lowEnd = 0, highEnd = 0;
  try {
    if (colon == std::string::npos) throw std::invalid_argument("no colon");
    range.low = std::stod(text.substr(0, colon), &lowEnd);
    range.high = std::stod(text.substr(colon + 1), &highEnd);
  } catch (const std::logic_error&) {
    refuse("--range '" + text + "' is not LOW:HIGH", hint);
  }
  if (lowEnd != colon || highEnd != text.size() - colon - 1) {
    refuse("--range '" + text + "' is not LOW:HIGH", hint);
  }
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    refuse("--range '" + text + "' is infinite", hint);
  }
  if (range.high < range.low) {
    refuse("--range '" + text + "' ends below its start",
           "write '--range " + text.substr(colon + 1) + ":" + text.substr(0, colon) + "'");
  }
  if (range.high == range.low) {
    refuse("--range '" + text + "' is empty",
           "'--frequencies " + text.substr(0, colon) + "' gives one frequency");
  }
  if (range.low < 0.0 || (range.low == 0.0 && !request.linear)) {
    refuse("--range must start above 0 Hz", "with '--linear' it may start at 0");
  }
  return range;
}

// A decade below the slowest to a decade above the fastest of the first modes.
FrequencyRange findModeRange(const LinearCommand& command) {
  analysis::ModeOptions options;
  options.count = kModesOfRange;
  const analysis::ModeResult modes = analysis::findModes(command.model(), command.state(), options);
  double low = HUGE_VAL, high = 0.0;
  for (const analysis::Mode& mode : modes.modes) {
    const double frequency = std::abs(mode.eigenvalue) / (2.0 * std::numbers::pi);
    if (frequency == 0.0 || !std::isfinite(frequency)) continue;  // at rest, or gone at once
    low = std::min(low, frequency);
    high = std::max(high, frequency);
  }
  if (high == 0.0) return {};
  return {low / kDecade, high * kDecade};
}

class FrfCommand {
 public:
  FrfCommand(const FrfRequest& request, const Console& console)
      : request_(request), command_(request, readNames(request), console) {
    checkFrequencies(request);
    if (!request.range.empty()) range_ = readRange(request);
  }

  std::optional<base::Failure> findRange(FrequencyRange& range) {
    if (auto failure = command_.linearize(true)) return failure;
    if (request_.range.empty()) range_ = findModeRange(command_);
    range = range_;
    return {};
  }

  std::optional<base::Failure> calc(reports::ResponseReport& report) {
    if (auto failure = findRange(range_)) return failure;
    const std::vector<double> frequencies =
        request_.frequencies.empty()
            ? analysis::makeFrequencies(range_.low, range_.high, request_.points, request_.linear)
            : request_.frequencies;
    const bool isSampled = !command_.sampled().elements.empty();
    report = {command_.title(), command_.state().time, command_.ports().names, {}, {}};
    return isSampled ? calcSampled(frequencies, report) : calcContinuous(frequencies, report);
  }

  std::optional<base::Failure> execute() {
    reports::ResponseReport report;
    if (auto failure = calc(report)) return failure;
    write(report);
    return std::nullopt;
  }

  void check() const { command_.checkOperatingPoint(); }

 private:
  std::optional<base::Failure> calcContinuous(const std::vector<double>& frequencies,
                                              reports::ResponseReport& report) {
    report.response = analysis::calcResponse(command_.ports(), frequencies);
    if (!report.response.ok()) return report.response.failure;
    warnOfCut(frequencies);
    if (isLoop()) {
      report.loop = analysis::analyzeLoop(command_.model().system(), command_.linear(),
                                          command_.ports(), lowestHz(), range_.high);
    }
    return {};
  }

  std::optional<base::Failure> calcSampled(const std::vector<double>& frequencies,
                                           reports::ResponseReport& report) {
    const analysis::PortNames& names = command_.ports().names;
    analysis::SampledResponse sampled(command_.model(), command_.sampled(), command_.linear(),
                                      command_.state(), names);
    if (sampled.failure()) return sampled.failure();
    report.response = analysis::calcSampledResponse(sampled, frequencies);
    if (!report.response.ok()) return report.response.failure;
    if (!names.cut.empty()) {
      warnOfNoLoop(isLoop() && report.response.H[frequencies.size() / 2](0, 0) == 0.0);
    }
    if (!isLoop()) return {};
    const analysis::SampledResponse closed(command_.model(), command_.sampled(), command_.linear(),
                                           command_.state(), {names.inputs, names.outputs, ""});
    if (closed.failure()) return closed.failure();
    report.loop = analysis::analyzeSampledLoop(sampled, closed, lowestHz(), range_.high);
    return {};
  }

  // Where a slow loop crosses |L| = 1 it has slow roots, and these are in the range.
  double lowestHz() const { return std::max(range_.low, kSlowest * range_.high); }

  bool isLoop() const {
    const analysis::PortNames& names = command_.ports().names;
    const std::vector<std::string> only{names.cut};
    return !names.cut.empty() && names.inputs == only && names.outputs == only;
  }

  // Where nothing comes back to the signal, the loops are as they were, and margins are of no loop.
  void warnOfCut(const std::vector<double>& frequencies) const {
    const std::string& cut = command_.ports().names.cut;
    if (cut.empty() || command_.isQuiet()) return;
    const analysis::LinearPorts around =
        analysis::makePorts(command_.model(), command_.linear(), {{cut}, {cut}, cut});
    const analysis::FrequencyResponse response =
        analysis::calcResponse(around, {frequencies[frequencies.size() / 2]});
    warnOfNoLoop(response.ok() && response.H.front()(0, 0) == 0.0);
  }

  void warnOfNoLoop(bool isNone) const {
    if (!isNone) return;
    const std::string& cut = command_.ports().names.cut;
    command_.warn(
        "--cut: '" + cut + "' is not part of a loop: nothing that it affects feeds back to it",
        "cut at a signal of the loop, such as an actuator or the block that it reads");
  }

  void write(const reports::ResponseReport& report) const {
    command_.tell(reports::describeResponse(report));
    command_.tell(reports::describeMargins(report));
    const Targets& targets = request_.targets;
    if (!targets.jsonFile.empty()) reports::writeResponseJson(targets.jsonFile, report);
    if (!targets.csvFile.empty()) reports::writeResponseCsv(targets.csvFile, report);
    if (!request_.svgFile.empty()) reports::writeResponseSvg(request_.svgFile, report);
  }

  const FrfRequest& request_;
  LinearCommand command_;
  FrequencyRange range_;
};

}  // namespace

std::optional<base::Failure> findResponse(const FrfRequest& request, const Console& console,
                                          reports::ResponseReport& report) {
  return FrfCommand(request, console).calc(report);
}

std::optional<base::Failure> findRange(const FrfRequest& request, const Console& console,
                                       FrequencyRange& range) {
  return FrfCommand(request, console).findRange(range);
}

void checkRequest(const FrfRequest& request, const Console& console) {
  FrfCommand(request, console).check();
}

Outcome calcFrf(const FrfRequest& request, const Console& console,
                reports::ResponseReport& report) {
  return guard(console, [&] {
    const auto failure = findResponse(request, console, report);
    return failure ? reportFailure(console, *failure) : Outcome::kDone;
  });
}

Outcome frf(const FrfRequest& request, const Console& console) {
  return guard(console, [&] {
    const auto failure = FrfCommand(request, console).execute();
    return failure ? reportFailure(console, *failure) : Outcome::kDone;
  });
}

}  // namespace flexloop::commands
