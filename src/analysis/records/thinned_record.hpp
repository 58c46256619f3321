// A long record with fewer values, which a fit can afford (docs/theory/20_spectrum.md, section 20.5).
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace flexloop::analysis {

// Values pass a low pass, so that those left do not show high frequencies as low ones. A short record
// stays what it is.
class ThinnedRecord {
 public:
  explicit ThinnedRecord(std::vector<double> values);

  std::size_t every() const { return every_; }  // one value of so many is left

  // One per `every` values of the record.
  std::vector<double> calcValues() const;

  // Values at times that are not even, in `every` values of the record, so that nothing above the new
  // Nyquist frequency looks as if it were below.
  struct Sample {
    double time = 0.0;
    double filtered = 0.0;
    double raw = 0.0;
  };
  std::vector<Sample> calcSamples() const;

  // What the low pass makes of z^time; (20.17).
  std::complex<double> calcGain(const std::complex<double>& z) const;

 private:
  double filter(std::size_t centre) const;

  std::vector<double> record_;
  std::size_t every_ = 1;
  std::size_t reach_ = 0;       // of the filter, to each side
  std::vector<double> filter_;  // even, with the sum 1
};

}  // namespace flexloop::analysis
