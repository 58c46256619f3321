// Records of a run, from the files that it writes.
#pragma once

#include <string>

#include "analysis/records/time_record.hpp"

namespace flexloop::results {

enum class RecordKind { kResult, kCsv, kMat, kOpenFastText, kOpenFastBinary, kModel };

// By the first bytes of the file and by the end of its name. Throws base::InputError if it is none of
// them, not there or empty.
RecordKind findRecordKind(const std::string& path);

// A result file or CSV of `run`, or a record of another program (foreign/); the first column of CSV is `time`. Throws
// base::InputError with the place of what is wrong.
analysis::TimeRecord readRecordFile(const std::string& path, RecordKind kind);

}  // namespace flexloop::results
