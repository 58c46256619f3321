// What two alternating steps of different lengths make of a mode: the spectral radius of their product, which shows
// whether clocks, events and pulses that cut the steps can excite it (docs/theory/11_scheme_properties.md, section 11.5).
#pragma once

#include <vector>

#include "solve/time/scheme.hpp"

namespace flexloop::analysis {

struct AlternatingRadius {
  double ratio = 1.0;    // of the nominal step to the short one
  double motion = 0.0;   // of infinitely fast motion, and of constraints on positions
  double index2 = 0.0;   // of constraints on velocities
  double state = 0.0;    // of infinitely fast states
  double largest = 0.0;  // of motion, over the frequencies
};

// For ratios from 1 to 1000; frequencies are those of the nominal step.
std::vector<AlternatingRadius> calcAlternatingRadii(const solve::Scheme& scheme, double zeta,
                                                    const std::vector<double>& frequencies);

}  // namespace flexloop::analysis
