#include "io/spectrum_options.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "analysis/record_analysis.hpp"
#include "io/error_list.hpp"
#include "io/parameter_table.hpp"
#include "io/text_format.hpp"
#include "io/value_reader.hpp"
#include "system/item.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::io {
namespace {

using analysis::TimeRecord;
using system::Item;
using system::Parameter;
using system::withDefault;

constexpr double kMostPadding = 64, kMostPeaks = 1000;
constexpr double kRoundOff = 1e-9;  // of the duration, at its ends

Parameter makeInteger(const char* name, double lower, double upper, const char* doc) {
  Parameter parameter = system::number(name, base::kDimensionless, doc);
  parameter.shape = system::Shape::kInteger;
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}

const std::vector<Parameter>& parametersOf() {
  static const std::vector<Parameter> parameters{
      system::number("from", base::kTime, "start of the part of the record that is looked at"),
      system::number("to", base::kTime, "its end"),
      withDefault(system::choice("window", analysis::windowNames(),
                                 "weights of the samples: " + listOf(analysis::windowNames())),
                  analysis::windowNames().front()),
      withDefault(makeInteger("pad", 1.0, kMostPadding,
                              "how many times as long zeros make the record, for finer bins"),
                  "1"),
      withDefault(makeInteger("peaks", 0.0, kMostPeaks, "how many peaks are told"), "5")};
  return parameters;
}

std::optional<SpectrumRequest::Limit> readLimit(const Item& item, const char* key) {
  if (!item.has(key)) return std::nullopt;
  return SpectrumRequest::Limit{item.number(key), item.placeOf(key)};
}

std::vector<std::size_t> findColumns(const TimeRecord& record,
                                     const std::vector<std::string>& channels, ErrorList& errors) {
  std::vector<std::size_t> columns;
  for (const std::string& channel : channels) {
    const auto found = std::find(record.names.begin(), record.names.end(), channel);
    const auto column = static_cast<std::size_t>(found - record.names.begin());
    if (found == record.names.end()) {
      errors.addUnknown({std::make_shared<const std::string>("--channel " + channel), 0, 0},
                        "there is no channel " + quote(channel), channel, record.names);
    } else if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  }
  for (std::size_t i = 0; channels.empty() && i < record.names.size(); ++i) columns.push_back(i);
  return columns;
}

void checkTimes(const TimeRecord& record, const base::Place& place, ErrorList& errors) {
  for (std::size_t i = 0; i < record.times.size(); ++i) {
    const double time = record.times[i];
    if (!std::isfinite(time)) {
      errors.add(place, formatText("time %zu of the record is not a number", i + 1),
                 "its first column must be the time in s");
    } else if (i > 0 && time <= record.times[i - 1]) {
      errors.add(place,
                 "the times do not increase: " + numberText(time) + " s comes after " +
                     numberText(record.times[i - 1]) + " s",
                 "a record has its rows in the order of time");
    } else {
      continue;
    }
    return;
  }
}

void checkLimits(const std::vector<double>& times, const SpectrumRequest& request,
                 ErrorList& errors) {
  const double slack = kRoundOff * (times.back() - times.front());
  const std::string hint = "the record goes from " + numberText(times.front()) + " s to " +
                           numberText(times.back()) + " s";
  for (const auto& limit : {request.from, request.to}) {
    if (!limit) continue;
    if (limit->time < times.front() - slack || limit->time > times.back() + slack) {
      errors.add(limit->place, numberText(limit->time) + " s is outside of the record", hint);
    }
  }
  if (request.from && request.to && request.from->time >= request.to->time) {
    errors.add(request.from->place, "from: must be smaller than to", hint);
  }
}

TimeRecord cut(const TimeRecord& record, const std::vector<std::size_t>& columns,
               const SpectrumRequest& request) {
  const std::vector<double>& times = record.times;
  const double slack = kRoundOff * (times.back() - times.front());
  auto first = times.begin(), last = times.end();
  if (request.from) first = std::lower_bound(first, last, request.from->time - slack);
  if (request.to) last = std::upper_bound(first, last, request.to->time + slack);
  const auto from = first - times.begin(), to = last - times.begin();
  TimeRecord part{{}, {first, last}, {}};
  for (const std::size_t column : columns) {
    const std::vector<double>& values = record.columns[column];
    part.names.push_back(record.names[column]);
    part.columns.emplace_back(values.begin() + from, values.begin() + to);
  }
  return part;
}

void checkPart(const TimeRecord& part, const base::Place& place, ErrorList& errors) {
  if (part.times.size() < analysis::kFewestSamples) {
    errors.add(place,
               formatText("too few samples: %zu, but at least %zu are needed", part.times.size(),
                          analysis::kFewestSamples),
               "record more often, or look at a longer part");
  }
  for (std::size_t c = 0; c < part.names.size(); ++c) {
    for (std::size_t i = 0; i < part.times.size(); ++i) {
      if (std::isfinite(part.columns[c][i])) continue;
      errors.add(place,
                 "channel " + quote(part.names[c]) +
                     " is not a finite number at t = " + numberText(part.times[i]) + " s",
                 "--to ends before it, --channel leaves it out");
      break;
    }
  }
}

}  // namespace

const std::vector<OptionHelp>& spectrumOptions() {
  static const std::vector<OptionHelp> options = describeOptions(parametersOf());
  return options;
}

SpectrumRequest readSpectrumRequest(const std::vector<OptionText>& options) {
  ErrorList errors;
  RawMap map;
  for (const OptionText& option : options) addOption(parseOption(option, errors), map, errors);
  const ParameterTable none;
  system::ValueMap values = ValueReader(none, errors).readMap(map, parametersOf(), "", {});
  errors.raiseIfAny();
  const Item item("", "spectrum", "", {}, std::move(values));
  SpectrumRequest request{
      .from = readLimit(item, "from"), .to = readLimit(item, "to"), .settings = {}};
  request.settings.window = item.text("window");
  request.settings.padding = item.integer("pad");
  request.settings.peaks = item.integer("peaks");
  return request;
}

TimeRecord selectRecord(const TimeRecord& record, const std::vector<std::string>& channels,
                        const SpectrumRequest& request, const std::string& file) {
  const base::Place place{std::make_shared<const std::string>(file), 0, 0};
  ErrorList errors;
  if (record.times.empty()) errors.add(place, "the record is empty", "did the run start?");
  const std::vector<std::size_t> columns = findColumns(record, channels, errors);
  checkTimes(record, place, errors);
  errors.raiseIfAny();
  checkLimits(record.times, request, errors);
  errors.raiseIfAny();
  TimeRecord part = cut(record, columns, request);
  checkPart(part, place, errors);
  errors.raiseIfAny();
  return part;
}

}  // namespace flexloop::io
