#include "results/record_part.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text_format.hpp"
#include "system/item.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeRecord;

constexpr double kRoundOff = 1e-9;  // of the duration, at its ends

// `*` in the pattern stands for any letters. After a mismatch the last star takes one letter more.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::size_t> findMatches(const std::vector<std::string>& names,
                                     const std::string& pattern) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (matches(pattern, names[i])) found.push_back(i);
  }
  return found;
}

void checkTimes(const TimeRecord& record, const base::Place& place, language::ErrorList& errors) {
  for (std::size_t i = 0; i < record.times.size(); ++i) {
    const double time = record.times[i];
    if (!std::isfinite(time)) {
      errors.add(place, base::formatText("time %zu of the record is not a number", i + 1),
                 "its first column must be the time in s");
    } else if (i > 0 && time <= record.times[i - 1]) {
      errors.add(place,
                 "the times do not increase: " + base::numberText(time) + " s comes after " +
                     base::numberText(record.times[i - 1]) + " s",
                 "the rows of a record must be in order of time");
    } else {
      continue;
    }
    return;
  }
}

void checkLimits(const std::vector<double>& times, const RecordLimits& limits,
                 language::ErrorList& errors) {
  const double slack = kRoundOff * (times.back() - times.front());
  const std::string hint = "the record covers " + base::numberText(times.front()) + " s to " +
                           base::numberText(times.back()) + " s";
  for (const auto& limit : {limits.from, limits.to}) {
    if (!limit) continue;
    if (limit->time < times.front() - slack || limit->time > times.back() + slack) {
      errors.add(limit->place, base::numberText(limit->time) + " s is outside the record", hint);
    }
  }
  if (limits.from && limits.to && limits.from->time >= limits.to->time) {
    errors.add(limits.from->place, "from: must be less than 'to'", hint);
  }
}

TimeRecord cut(const TimeRecord& record, const std::vector<std::size_t>& columns,
               const RecordLimits& limits) {
  const std::vector<double>& times = record.times;
  const double slack = kRoundOff * (times.back() - times.front());
  auto first = times.begin(), last = times.end();
  if (limits.from) first = std::lower_bound(first, last, limits.from->time - slack);
  if (limits.to) last = std::upper_bound(first, last, limits.to->time + slack);
  const auto from = first - times.begin(), to = last - times.begin();
  TimeRecord part{{}, {}, {first, last}, {}};
  for (const std::size_t column : columns) {
    const std::vector<double>& values = record.columns[column];
    part.names.push_back(record.names[column]);
    part.units.push_back(record.units[column]);
    part.columns.emplace_back(values.begin() + from, values.begin() + to);
  }
  return part;
}

std::optional<TimeLimit> readLimit(const system::Item& item, const char* key) {
  if (!item.has(key)) return std::nullopt;
  return TimeLimit{item.number(key), item.placeOf(key)};
}

}  // namespace

std::vector<system::Parameter> limitParameters() {
  return {system::number("from", base::kTime, "start of the part of the record to use"),
          system::number("to", base::kTime, "end of the part of the record to use")};
}

RecordLimits readLimits(const system::Item& item) {
  return {.from = readLimit(item, "from"), .to = readLimit(item, "to")};
}

std::vector<std::size_t> findColumns(const TimeRecord& record,
                                     const std::vector<std::string>& channels,
                                     language::ErrorList& errors) {
  std::vector<std::size_t> columns;
  for (const std::string& channel : channels) {
    std::vector<std::size_t> found = findMatches(record.names, channel);
    if (found.empty()) found = findMatches(record.names, channel + ".*");
    if (found.empty()) {
      errors.addUnknown({std::make_shared<const std::string>(channel), 0, 0},
                        "there is no channel " + language::quote(channel), channel, record.names);
    }
    for (const std::size_t column : found) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
    }
  }
  for (std::size_t i = 0; channels.empty() && i < record.names.size(); ++i) columns.push_back(i);
  return columns;
}

TimeRecord selectPart(const TimeRecord& record, const std::vector<std::string>& channels,
                      const RecordLimits& limits, const std::string& file) {
  const base::Place place{std::make_shared<const std::string>(file), 0, 0};
  language::ErrorList errors;
  if (record.times.empty()) errors.add(place, "the record is empty", "did the run start?");
  const std::vector<std::size_t> columns = findColumns(record, channels, errors);
  checkTimes(record, place, errors);
  errors.raiseIfAny();
  checkLimits(record.times, limits, errors);
  errors.raiseIfAny();
  return cut(record, columns, limits);
}

}  // namespace flexloop::results
