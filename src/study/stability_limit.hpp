// Where a mode of a sweep turns unstable (docs/theory/24_sensitivities_and_sweeps.md).
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "study/mode_sweep.hpp"

namespace flexloop::study {

struct StabilityLimit {
  double value = 0.0;               // of the parameter
  std::complex<double> eigenvalue;  // of the mode at the limit
  int track = 0;                    // which mode of the sweep
  std::string name;                 // what the mode is; empty if unknown
  bool becomesUnstable = true;      // with growing parameter; false: it becomes stable
};

struct StabilityLimits {
  std::vector<StabilityLimit> limits;  // in the order of the sweep
  std::vector<std::string> lost;       // intervals in which a limit was lost, and why
};

// The limits of all modes between neighbouring points of a sweep over one parameter.
[[nodiscard]] StabilityLimits findStabilityLimits(const ModeSweep& sweep, const ModelMaker& maker,
                                                  const ModeTask& task);

}  // namespace flexloop::study
