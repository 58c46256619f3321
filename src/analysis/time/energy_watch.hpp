// Follows the energy of a run, to tell how much of it the time scheme dissipates.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/time/time_analysis.hpp"
#include "system/local.hpp"

namespace flexloop::analysis {

class EnergyWatch {
 public:
  bool isEmpty() const { return empty_; }
  // Whether the energy of the next record is worth its cost, which is a fifth of a step. All of the first records are,
  // then one in twelve: the range over which energy is exchanged needs no more. They are not evenly spaced, so that no
  // oscillation is always met in the same phase.
  bool isDue() {
    const double place = kGolden * static_cast<double>(++records_);
    return records_ <= kFirstRecords || place - std::floor(place) < kShare;
  }
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
    const double exchange = calcExchange();
    if (isConservative && exchange > 0.0) {
      report.dissipatedShare = (report.start - report.end) / exchange;
    }
    return report;
  }

  // Whether a good part of the motion at the end has come from outside: what falls or buckles moves by what it had.
  bool hasGained() const {
    return last_.total() - first_.total() > kGained * (last_.kinetic - first_.kinetic);
  }

 private:
  static constexpr double kGained = 0.1;  // of the kinetic energy
  static constexpr double kGolden = 0.61803398874989485, kShare = 1.0 / 12.0;
  static constexpr long kFirstRecords = 100;
  // Of an energy, that is round-off.
  static constexpr double kNoEnergy = 1e6 * std::numeric_limits<double>::epsilon();

  // Where the potential stays, as in free flight, nothing is exchanged with it: what the kinetic energy changes is error, and
  // a share of all of it.
  double calcExchange() const {
    const double size = std::max(std::abs(highest_.potential), std::abs(lowest_.potential));
    const double potential = highest_.potential - lowest_.potential;
    const double kinetic = highest_.kinetic - lowest_.kinetic;
    const bool isExchanged = potential > kNoEnergy * std::max(size, highest_.kinetic);
    return isExchanged ? std::max(kinetic, potential) : std::max(highest_.kinetic, potential);
  }

  bool empty_ = true;
  long records_ = 0;
  system::Energy first_, last_, lowest_, highest_;
};

}  // namespace flexloop::analysis
