// Peaks of a record under an exponential window as damped oscillations: their poles, with the damping of the window taken out
// (docs/theory/20_spectrum.md, section 20.7).
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "analysis/records/spectrum.hpp"

namespace flexloop::analysis {

// The transform (20.1) without padding of a record of `size` values, from zero to half the sampling frequency.
struct WindowedRecord {
  std::vector<std::complex<double>> values;
  std::size_t size = 0;
  double decay = 0.0;  // h/τ of the window
  double mean = 0.0;   // of its weights
};

// Frequencies of peaks in bins, those of maxima of the spectrum. Peaks that turn out to be poles beside their maxima get frequency, amplitude at
// the first sample and damping ratio of these; others stay as they are, but for maxima that are merely the sum of the slopes of other peaks, which are
// no peaks. The highest comes first.
void fitDampedPeaks(const WindowedRecord& record, std::vector<SpectrumPeak>& peaks);

}  // namespace flexloop::analysis
