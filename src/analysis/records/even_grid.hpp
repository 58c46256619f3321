// Times at even steps for a record whose own steps may differ (docs/theory/20_spectrum.md, section 20.6).
#pragma once

#include <cstddef>
#include <vector>

namespace flexloop::analysis {

struct EvenGrid {
  double start = 0.0, interval = 0.0;
  std::size_t count = 0;
  bool isOriginal = false;  // the times are the first `count` of the record
};

// Times must increase; at least two. A record whose steps are equal keeps its times, and loses its
// last one if only that has another distance: a simulation shortens its last step.
EvenGrid chooseGrid(const std::vector<double>& times);

// Values of a record on the grid that was chosen for its times; monotone between the samples.
std::vector<double> resample(const EvenGrid& grid, const std::vector<double>& times,
                             const std::vector<double>& values);

}  // namespace flexloop::analysis
