// The amplitude spectrum of a record with even steps, and its peaks
// (docs/theory/20_spectrum.md, sections 20.1 to 20.3 and 20.7).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/records/window_function.hpp"

namespace flexloop::analysis {

struct SpectrumSettings {
  std::string window = windowNames().front();
  double timeConstant = 0.0;  // τ of the exponential window, s
  int padding = 1;            // how many times as long the record becomes with zeros
  int peaks = 5;              // the most
  bool keepsMean = false;
};

struct SpectrumPeak {
  double frequency = 0.0;  // Hz
  double amplitude = 0.0;  // of a damped one at the first sample
  // Under the exponential window, without the damping of that.
  std::optional<double> dampingRatio{};
};

struct Spectrum {
  std::vector<double> frequency;    // Hz, from zero
  std::vector<double> amplitude;    // of a sine at that frequency, in the unit of the record
  std::vector<SpectrumPeak> peaks;  // the highest first
};

// At least two values; the interval in seconds.
Spectrum calcSpectrum(std::vector<double> values, double interval,
                      const SpectrumSettings& settings);

}  // namespace flexloop::analysis
