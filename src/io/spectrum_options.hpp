// What the command `spectrum` is asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/spectrum.hpp"
#include "analysis/time_record.hpp"
#include "io/option_text.hpp"
#include "io/record_part.hpp"

namespace flexloop::io {

// All that `readSpectrumRequest` takes.
const std::vector<OptionHelp>& spectrumOptions();

struct SpectrumRequest {
  RecordLimits limits;
  analysis::SpectrumSettings settings;
};

// Throws base::InputError with all mistakes.
SpectrumRequest readSpectrumRequest(const std::vector<OptionText>& options);

// The channels that are named, all if none is, between the limits. Throws base::InputError for an
// unknown channel, limits outside of the record, too few samples, and numbers that are none.
analysis::TimeRecord selectRecord(const analysis::TimeRecord& record,
                                  const std::vector<std::string>& channels,
                                  const SpectrumRequest& request, const std::string& file);

}  // namespace flexloop::io
