// Spectra and modes of a record, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/record_analysis.hpp"

namespace flexloop::reports {

struct SpectrumSummary {
  std::string file;  // what was looked at
  analysis::SpectrumSettings settings;
  analysis::RecordReport report;
};

std::vector<std::string> describeSpectrum(const SpectrumSummary& summary);

// A column of amplitudes for each channel, one row per frequency.
void writeSpectrumCsv(const std::string& path, const SpectrumSummary& summary);

// docs/manual/spectrum.md lists the entries.
void writeSpectrumJson(const std::string& path, const SpectrumSummary& summary);

// Amplitudes over the frequency.
void writeSpectrumSvg(const std::string& path, const SpectrumSummary& summary);

}  // namespace flexloop::reports
