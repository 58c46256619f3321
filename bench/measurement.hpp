// One benchmark run in a process of its own, so that its peak memory is its own.
#pragma once

#include <array>
#include <limits>
#include <string>

namespace flexloop::bench {

struct Measurement {
  bool ok = false;
  double microsecondsPerStep = 0.0;  // CPU time of the steps only, the smallest of `repeats`
  double iterationsPerStep = 0.0;
  double factorizationsPerStep = 0.0;
  double peakMegabytes = 0.0;  // resident, of the whole process
  int unknowns = 0;
  int steps = 0;
  std::array<double, 3> tip{};  // the model's output `tip` at the end
};

// No more than `mostSteps` steps.
Measurement measure(const std::string& modelText, int repeats,
                    int mostSteps = std::numeric_limits<int>::max());

// CPU seconds of numpy's dense 3000×3000 solve on one thread: what peers' times are calibrated by. Not a
// number if numpy is not there.
double calibrate();

}  // namespace flexloop::bench
