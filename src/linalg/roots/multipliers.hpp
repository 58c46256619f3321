// Multipliers of a discrete map z → Phi z (docs/theory/25_delays_and_samples.md, section 25.6). Those that are zero
// or one are often multiple without as many vectors, and rounding would scatter them widely; they are taken off
// before, by orthogonal transformations.
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

namespace flexloop::linalg {

struct Multiplier {
  std::complex<double> value;     // im ≥ 0
  std::complex<double> exponent;  // its logarithm, |im| ≤ π; exactly zero where the value is one
  Eigen::VectorXcd vector;
  double residual = 0.0;  // the share of the terms of Phi z − value z that does not cancel
};

struct Multipliers {
  std::vector<Multiplier> found;  // of a multiplier one, as many as it has vectors
  int zeros = 0;                  // that are left out
};

Multipliers findMultipliers(const Eigen::MatrixXd& Phi);

}  // namespace flexloop::linalg
