// A system in time as one from sample to sample (docs/theory/39_controller_design.md, section 39.5).
#pragma once

#include <complex>
#include <vector>

#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::linalg {

// Inputs are held from one instant to the next: [Φ Γ; 0 1] = exp([A B; 0 0] T).                     (39.8)
StateMatrices discretizeHeld(const StateMatrices& system, double sample);

// s = (2/T) (z − 1)/(z + 1).                                                                       (39.9)
// Fails if 2/T is a root of A.
base::Result<StateMatrices> discretizeTustin(const StateMatrices& system, double sample);

// Roots and zeros by z = exp(s T); zeros at infinity, but one, go to z = −1; the gain is that at s = 0, or, where that
// is zero or infinite, that at a rate well below 1/T. Of a system with one input and one output.
base::Result<StateMatrices> discretizeMatched(const StateMatrices& system, double sample);

enum class SampleRule { kTustin, kHeld, kMatched };
base::Result<StateMatrices> discretize(const StateMatrices& system, double sample, SampleRule rule);

// The system in time of which Tustin's rule makes this one (38.21); its states are the same at all values of a parameter if
// those of the sampled one are. Fails if z = −1 is a root.
base::Result<StateMatrices> undoTustin(const StateMatrices& sampled, double sample);

// The finite zeros of a system with one input and one output.
std::vector<std::complex<double>> findZeros(const StateMatrices& system);

}  // namespace flexloop::linalg
