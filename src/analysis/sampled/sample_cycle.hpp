// The instants of several clocks until they repeat (docs/theory/25_delays_and_samples.md, section 25.5).
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "system/clock.hpp"

namespace flexloop::analysis {

struct SampleInstant {
  double time = 0.0;              // in the cycle [s]
  double wait = 0.0;              // until the next instant [s]
  std::vector<bool> dueClocks{};  // as in the system

  // What comes out of a delay line: what went in so many entries ago.
  struct Arrival {
    int line = 0, age = 0;
  };
  std::vector<Arrival> arrivals{};
  std::vector<int> entries{};  // lines into which something goes, after what comes out
};

struct SampleCycle {
  double period = 0.0;  // the least common multiple of all periods [s]
  std::vector<SampleInstant> instants;
  std::optional<base::Failure> failure;
};

// Of the clocks that are used, at least one.
SampleCycle makeSampleCycle(const std::vector<system::Clock>& clocks,
                            const std::vector<bool>& isUsed);

}  // namespace flexloop::analysis
