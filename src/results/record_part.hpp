// The part of a record that a command looks at: some of its channels, between two times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/records/time_record.hpp"
#include "base/diagnostics.hpp"
#include "language/error_list.hpp"
#include "system/registry.hpp"

namespace flexloop::results {

struct TimeLimit {
  double time = 0.0;  // s
  base::Place place;
};

struct RecordLimits {
  std::optional<TimeLimit> from, to;  // absent: the ends of the record
};

// Options `from` and `to`, for commands that have them.
std::vector<system::Parameter> limitParameters();
RecordLimits readLimits(const system::Item& item);

// The columns of the channels that are named, all if none is, each once. `hand` means hand.x, hand.y
// and hand.z where there is no channel of that name; `*` stands for any letters.
std::vector<std::size_t> findColumns(const analysis::TimeRecord& record,
                                     const std::vector<std::string>& channels,
                                     language::ErrorList& errors);

// Throws base::InputError for an empty record, unknown channels, times that do not increase and limits
// outside of the record.
analysis::TimeRecord selectPart(const analysis::TimeRecord& record,
                                const std::vector<std::string>& channels,
                                const RecordLimits& limits, const std::string& file);

}  // namespace flexloop::results
