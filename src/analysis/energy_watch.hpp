// Follows the energy of a run, to tell how much of it the time scheme dissipates.
#pragma once

#include <algorithm>

#include "analysis/time_analysis.hpp"
#include "system/local.hpp"

namespace flexloop::analysis {

class EnergyWatch {
 public:
  void add(const system::Energy& energy) {
    if (empty_) {
      first_ = lowest_ = highest_ = energy;
      empty_ = false;
    }
    last_ = energy;
    lowest_.kinetic = std::min(lowest_.kinetic, energy.kinetic);
    lowest_.potential = std::min(lowest_.potential, energy.potential);
    highest_.kinetic = std::max(highest_.kinetic, energy.kinetic);
    highest_.potential = std::max(highest_.potential, energy.potential);
  }

  EnergyReport report(bool isConservative) const {
    EnergyReport report{first_.total(), last_.total(), isConservative, 0.0};
    const double exchange =
        std::max(highest_.kinetic - lowest_.kinetic, highest_.potential - lowest_.potential);
    if (isConservative && exchange > 0.0) {
      report.dissipatedShare = (report.start - report.end) / exchange;
    }
    return report;
  }

 private:
  bool empty_ = true;
  system::Energy first_, last_, lowest_, highest_;
};

}  // namespace flexloop::analysis
