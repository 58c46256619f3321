// Discrete Fourier transforms of any length, and what they make fast
// (docs/theory/20_spectrum.md, sections 20.1 and 20.5).
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace flexloop::linalg {

// X_k = Σ_n x_n exp(−2πi k n / N) for k = 0 … N/2; N is the number of values, which must not be zero.
// The time grows with N log N also where N is a prime number.
std::vector<std::complex<double>> calcFourier(const std::vector<double>& values);

// Correlations of one record with many shorter ones.
class Correlator {
 public:
  explicit Correlator(const std::vector<double>& record);

  // c_m = Σ_i record_{m+i} weights_i for m = 0 … size() − count; `result` has room for them.
  void calc(const double* weights, std::size_t count, double* result) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::size_t length_;  // of the transforms
  std::vector<std::complex<double>> transform_;
};

}  // namespace flexloop::linalg
