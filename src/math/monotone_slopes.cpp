#include "math/monotone_slopes.hpp"

#include <cmath>

namespace flexloop::math {
namespace {

// Of the parabola through three points at the first of them, held back where it would overshoot.
double calcEndSlope(double step, double nextStep, double secant, double nextSecant) {
  const double slope = ((2.0 * step + nextStep) * secant - step * nextSecant) / (step + nextStep);
  if (slope * secant <= 0.0) return 0.0;
  if (secant * nextSecant <= 0.0 && std::abs(slope) > 3.0 * std::abs(secant)) return 3.0 * secant;
  return slope;
}

}  // namespace

std::vector<double> calcMonotoneSlopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t last = x.size() - 1;
  const auto step = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / step(i); };
  if (last == 1) return {secant(0), secant(0)};
  std::vector<double> slopes(x.size());
  for (std::size_t i = 1; i < last; ++i) {
    const double before = secant(i - 1), after = secant(i);
    if (before * after <= 0.0) continue;  // an extremum stays one
    const double w1 = 2.0 * step(i) + step(i - 1), w2 = step(i) + 2.0 * step(i - 1);
    slopes[i] = (w1 + w2) / (w1 / before + w2 / after);
  }
  slopes[0] = calcEndSlope(step(0), step(1), secant(0), secant(1));
  slopes[last] = calcEndSlope(step(last - 1), step(last - 2), secant(last - 1), secant(last - 2));
  return slopes;
}

}  // namespace flexloop::math
