// Spectra and damped modes of all channels of a record, for comparison with the modes of a model.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/free_response.hpp"
#include "analysis/records/spectrum.hpp"
#include "analysis/records/time_record.hpp"

namespace flexloop::analysis {

struct ChannelReport {
  std::string name;
  Spectrum spectrum;
  FreeResponse response;
};

struct RecordReport {
  double from = 0.0, to = 0.0;  // s
  double samplingRate = 0.0;    // Hz
  std::size_t samples = 0;
  bool isResampled = false;  // the steps of the record were not even
  std::vector<ChannelReport> channels;
};

inline constexpr std::size_t kFewestSamples = 8;

// Times must increase, and be at least kFewestSamples; values must be finite.
RecordReport analyzeRecord(const TimeRecord& record, const SpectrumSettings& settings);

}  // namespace flexloop::analysis
