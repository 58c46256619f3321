// What the command `spectrum` is asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/spectrum.hpp"
#include "analysis/records/time_record.hpp"
#include "language/option_text.hpp"
#include "results/record_part.hpp"

namespace flexloop::reports {

// All that `readSpectrumRequest` takes.
const std::vector<language::OptionHelp>& spectrumOptions();

struct SpectrumRequest {
  results::RecordLimits limits;
  analysis::SpectrumSettings settings;
};

// Throws base::InputError with all mistakes.
SpectrumRequest readSpectrumRequest(const std::vector<language::OptionText>& options);

// The channels that are named, all if none is, between the limits. Throws base::InputError for an
// unknown channel, limits outside of the record, too few samples, and numbers that are none.
analysis::TimeRecord selectRecord(const analysis::TimeRecord& record,
                                  const std::vector<std::string>& channels,
                                  const SpectrumRequest& request, const std::string& file);

}  // namespace flexloop::reports
