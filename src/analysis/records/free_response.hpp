// Damped modes of a free response: a record that is a sum of exponentials determines their eigenvalues,
// so that a simulation can be compared with the modes of its model
// (docs/theory/20_spectrum.md, sections 20.4 and 20.5).
#pragma once

#include <complex>
#include <vector>

namespace flexloop::analysis {

// amplitude · exp(Re s · t) · cos(Im s · t + phase), with t from the first value on.
struct DampedMode {
  std::complex<double> eigenvalue;  // s, 1/s; Im s ≥ 0
  double amplitude = 0.0;           // not negative, in the unit of the record
  double phase = 0.0;               // rad

  double frequency() const;     // Hz, |Im s| / 2π
  double dampingRatio() const;  // −Re s / |s|
};

struct FreeResponse {
  std::vector<DampedMode> modes;  // by |Im s|, then by |Re s|
  double offset = 0.0;            // what does not decay or oscillate: offset + drift · t
  double drift = 0.0;             // per second
  double residual = 0.0;  // root mean square of what is left, relative to that about the mean
};

// The singular values show how many modes there are. At least eight values, at even intervals.
FreeResponse fitFreeResponse(std::vector<double> values, double interval);

// Eigenvalues of a response with a known number of them, sorted by imaginary part: a pair counts as
// two, and a constant is an eigenvalue at zero. At least four values and three for each eigenvalue.
std::vector<std::complex<double>> calcEigenvalues(const std::vector<double>& values,
                                                  double interval, int count);

}  // namespace flexloop::analysis
