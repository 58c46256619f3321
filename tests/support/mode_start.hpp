// A simulation that starts in one mode: with z of P(s) z = 0 (docs/theory/18_eigenproblem.md) all unknowns of a
// machine at rest should move as Re(z exp(s t)), and what they really do tells s once more.
#pragma once

#include <complex>

#include "analysis/modes/mode_analysis.hpp"
#include "model/model.hpp"
#include "system/state.hpp"

namespace flexloop::test {

// The eigenvalue that the simulation shows, im ≥ 0. `rest` is the state that the mode was found about, and
// `size` its largest displacement [m]. Scheme and constraints are those of `analysis: time`; the length of
// steps is a fiftieth of 1/|s|, whose own error is 1/30000. Throws std::runtime_error if it cannot be run.
std::complex<double> measureEigenvalue(const model::Model& model, const system::State& rest,
                                       const analysis::Mode& mode, double size);

}  // namespace flexloop::test
