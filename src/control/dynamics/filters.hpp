// Usual filters by their poles and zeros (docs/theory/14_dynamic_blocks.md, section 14.4). Frequencies
// are in rad/s.
#pragma once

#include "control/dynamics/realization.hpp"

namespace flexloop::control {

// Butterworth filters of any order: flat where they pass, −3 dB at `omega`.
ZeroPoleGain makeLowPass(int order, double omega);
ZeroPoleGain makeHighPass(int order, double omega);
// −3 dB at two frequencies whose distance is `width` and whose geometric mean is `omega`.
ZeroPoleGain makeBandPass(int order, double omega, double width);
// (s² + depth·2ζω s + ω²) / (s² + 2ζω s + ω²)
ZeroPoleGain makeNotch(double omega, double damping, double depth);

}  // namespace flexloop::control
