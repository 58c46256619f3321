#include "reports/spectrum_options.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "analysis/records/record_analysis.hpp"
#include "base/text_format.hpp"
#include "language/error_list.hpp"
#include "system/item.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::reports {
namespace {

using analysis::TimeRecord;
using system::Item;
using system::Parameter;
using system::withDefault;

constexpr double kMostPadding = 64, kMostPeaks = 1000;

Parameter makeInteger(const char* name, double lower, double upper, const char* doc) {
  Parameter parameter = system::number(name, base::kDimensionless, doc);
  parameter.shape = system::Shape::kInteger;
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}

const std::vector<Parameter>& parametersOf() {
  static const std::vector<Parameter> parameters{
      results::limitParameters()[0],
      results::limitParameters()[1],
      withDefault(system::choice("window", analysis::windowNames(),
                                 "window function: " + language::listOf(analysis::windowNames())),
                  analysis::windowNames().front()),
      system::positive(
          system::number("tau", base::kTime, "time constant of the exponential window")),
      withDefault(makeInteger("pad", 1.0, kMostPadding,
                              "factor by which zero padding lengthens the record, for finer bins"),
                  "1"),
      withDefault(makeInteger("peaks", 0.0, kMostPeaks, "number of peaks to list"), "5")};
  return parameters;
}

void checkTau(const Item& item) {
  const bool isExponential = item.text("window") == analysis::kExponentialWindow;
  if (isExponential == item.has("tau")) return;
  language::ErrorList errors;
  errors.add(
      {std::make_shared<const std::string>(isExponential ? "--window exponential" : "--tau"), 0, 0},
      isExponential ? "the time constant of the window is missing"
                    : "only the exponential window has a time constant",
      isExponential ? "add for example '--tau 50ms'; a quarter of the record is usual"
                    : "add '--window exponential'");
  errors.raiseIfAny();
}

void checkPart(const TimeRecord& part, const base::Place& place, language::ErrorList& errors) {
  if (part.times.size() < analysis::kFewestSamples) {
    errors.add(place,
               base::formatText("too few samples: %zu, but at least %zu are needed",
                                part.times.size(), analysis::kFewestSamples),
               "record more often, or use a longer part");
  }
  for (std::size_t c = 0; c < part.names.size(); ++c) {
    for (std::size_t i = 0; i < part.times.size(); ++i) {
      if (std::isfinite(part.columns[c][i])) continue;
      errors.add(place,
                 "channel " + language::quote(part.names[c]) +
                     " is not a finite number at t = " + base::numberText(part.times[i]) + " s",
                 "use --to to end before it, or --channel to omit it");
      break;
    }
  }
}

}  // namespace

const std::vector<language::OptionHelp>& spectrumOptions() {
  static const std::vector<language::OptionHelp> options =
      language::describeOptions(parametersOf());
  return options;
}

SpectrumRequest readSpectrumRequest(const std::vector<language::OptionText>& options) {
  const Item item = language::readOptions(options, parametersOf(), "spectrum");
  SpectrumRequest request{.limits = results::readLimits(item), .settings = {}};
  checkTau(item);
  request.settings.window = item.text("window");
  request.settings.timeConstant = item.number("tau", 0.0);
  request.settings.padding = item.integer("pad");
  request.settings.peaks = item.integer("peaks");
  return request;
}

TimeRecord selectRecord(const TimeRecord& record, const std::vector<std::string>& channels,
                        const SpectrumRequest& request, const std::string& file) {
  TimeRecord part = results::selectPart(record, channels, request.limits, file);
  language::ErrorList errors;
  checkPart(part, {std::make_shared<const std::string>(file), 0, 0}, errors);
  errors.raiseIfAny();
  return part;
}

}  // namespace flexloop::reports
