// Transfer functions as state-space systems of one input and one output
// (docs/theory/14_dynamic_blocks.md, sections 14.2 and 14.3).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "control/dynamics/linear_system.hpp"

namespace flexloop::control {

// b(s)/a(s), coefficients by descending powers, the first of `denominator` not zero and no more of them
// in the numerator. A companion form whose time and states are scaled by powers of two.
StateMatrices realizeTransferFunction(const std::vector<double>& numerator,
                                      const std::vector<double>& denominator);

// gain Π(s − z) / Π(s − p), with no more zeros than poles. A root with an imaginary part stands for
// itself and its conjugate.
struct ZeroPoleGain {
  std::vector<std::complex<double>> zeros, poles;
  double gain = 1.0;
};

// A chain of sections of first and second order.
StateMatrices realizeZeroPoleGain(const ZeroPoleGain& function);

// The state at which the system rests with this output; nothing if there is none.
std::optional<std::vector<double>> findRest(const StateMatrices& system, double output);

}  // namespace flexloop::control
