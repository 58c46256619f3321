// Weights that fade a record in and out, so that a sine that does not fit into it a whole number of
// times stays narrow in the spectrum (docs/theory/20_spectrum.md, sections 20.2 and 20.7).
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace flexloop::analysis {

class WindowFunction {
 public:
  // One of windowNames(). Of the exponential one, `decay` is the interval by its time constant; the others have none.
  explicit WindowFunction(const std::string& name, double decay = 0.0);

  // Weights of n = 0 … size − 1.
  std::vector<double> calcWeights(std::size_t size) const;
  double mean(std::size_t size) const;  // of the weights

  // Of sums of cosines, what follows; a record under the exponential window is described by its poles (damped_peaks.hpp).

  // What a complex exponential of amplitude 1 leaves `offset` bins beside its frequency, with the
  // phase relative to the middle of the record; (20.5).
  std::complex<double> calcKernel(double offset, std::size_t size) const;

  // Half the width of the main lobe, in bins; the kernel has side lobes beyond.
  double lobe() const { return static_cast<double>(terms_.size()); }
  // The height of side lobes near the offset, beyond the main lobe; (20.6).
  double calcEnvelope(double offset) const;

 private:
  std::vector<double> terms_;  // a_j of (20.3)
  double decay_ = 0.0;
};

inline constexpr const char* kExponentialWindow = "exponential";

// The first is the one to take unless stated.
const std::vector<std::string>& windowNames();

}  // namespace flexloop::analysis
