#include "analysis/records/even_grid.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/monotone_slopes.hpp"

namespace flexloop::analysis {
namespace {

// Of a step: times of a file have passed through sums and decimal digits.
constexpr double kEven = 1e-6;
// A few long steps among many short ones must not make a huge grid.
constexpr double kMostGrowth = 4.0;

bool isEven(const std::vector<double>& times, std::size_t count) {
  const double interval = (times[count - 1] - times[0]) / static_cast<double>(count - 1);
  for (std::size_t i = 1; i < count; ++i) {
    if (std::abs(times[i] - times[i - 1] - interval) > kEven * interval) return false;
  }
  return true;
}

EvenGrid keepTimes(const std::vector<double>& times, std::size_t count) {
  return {times[0], (times[count - 1] - times[0]) / static_cast<double>(count - 1), count, true};
}

double calcMedianStep(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

}  // namespace

EvenGrid chooseGrid(const std::vector<double>& times) {
  assert(times.size() >= 2);
  const std::size_t size = times.size();
  if (isEven(times, size)) return keepTimes(times, size);
  if (size > 2 && isEven(times, size - 1)) return keepTimes(times, size - 1);
  const double duration = times.back() - times.front();
  const double interval =
      std::max(calcMedianStep(times), duration / (kMostGrowth * static_cast<double>(size)));
  const auto steps = static_cast<std::size_t>(duration / interval * (1.0 + kEven * kEven));
  return {times.front(), interval, steps + 1, false};
}

std::vector<double> resample(const EvenGrid& grid, const std::vector<double>& times,
                             const std::vector<double>& values) {
  if (grid.isOriginal) {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(grid.count)};
  }
  const std::vector<double> slopes = math::calcMonotoneSlopes(times, values);
  std::vector<double> samples;
  std::size_t i = 0;
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double time = std::min(grid.start + static_cast<double>(k) * grid.interval, times.back());
    while (i + 2 < times.size() && times[i + 1] <= time) ++i;
    const double step = times[i + 1] - times[i], part = (time - times[i]) / step, rest = 1.0 - part;
    samples.push_back(rest * rest * ((1.0 + 2.0 * part) * values[i] + part * step * slopes[i]) +
                      part * part *
                          ((1.0 + 2.0 * rest) * values[i + 1] - rest * step * slopes[i + 1]));
  }
  return samples;
}

}  // namespace flexloop::analysis
