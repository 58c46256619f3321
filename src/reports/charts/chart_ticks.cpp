#include "reports/charts/chart_ticks.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

constexpr double kSlack = 1e-9;      // of a step: ends of the range count as inside
constexpr int kMostLabels = 9;       // powers of ten with a number
constexpr int kMostShortTicks = 12;  // powers of ten with short ticks between

double chooseStep(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1.0 - kSlack)) return factor * power;
  }
  return 10.0 * power;
}

bool isInside(double value, double from, double to) {
  return value >= from * (1.0 - kSlack) && value <= to * (1.0 + kSlack);
}

std::vector<Tick> makeNarrowTicks(double from, double to, int first, int last) {
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int factor = 1; factor <= 9; ++factor) {
      const double value = factor * std::pow(10.0, exponent);
      if (!isInside(value, from, to)) continue;
      const bool numbered = factor == 1 || factor == 2 || factor == 5;
      ticks.push_back({value, numbered ? base::formatText("%g", value) : "", ""});
    }
  }
  return ticks;
}

std::vector<Tick> makeWideTicks(double from, double to, int first, int last) {
  const int every = (last - first) / kMostLabels + 1;
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double power = std::pow(10.0, exponent);
    const bool numbered = exponent % every == 0;
    if (isInside(power, from, to)) {
      ticks.push_back(
          {power, numbered ? "10" : "", numbered ? base::formatText("%d", exponent) : ""});
    }
    for (int factor = 2; last - first <= kMostShortTicks && factor <= 9; ++factor) {
      if (isInside(factor * power, from, to)) ticks.push_back({factor * power, "", ""});
    }
  }
  return ticks;
}

}  // namespace

std::vector<Tick> makeLinearTicks(double from, double to, int count) {
  const double step = chooseStep((to - from) / std::max(count, 1));
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + kSlack)));
  std::vector<Tick> ticks;
  for (double n = std::ceil(from / step - kSlack); n <= to / step + kSlack; n += 1.0) {
    const double value = n == 0.0 ? 0.0 : n * step;  // no minus before a zero
    const bool scientific = digits > 6 || std::abs(value) >= 1e6;
    ticks.push_back(
        {value,
         scientific ? base::formatText("%g", value) : base::formatText("%.*f", digits, value), ""});
  }
  return ticks;
}

std::vector<Tick> makeUnitTicks(double from, double to, int count, double unit) {
  double step = unit;
  while ((to - from) / step > std::max(count, 1)) step *= 2.0;
  std::vector<Tick> ticks;
  for (double n = std::ceil(from / step - kSlack); n <= to / step + kSlack; n += 1.0) {
    ticks.push_back({n * step, base::formatText("%g", n * step + 0.0), ""});
  }
  return ticks;
}

std::vector<Tick> makeLogarithmicTicks(double from, double to) {
  const int first = static_cast<int>(std::floor(std::log10(from)));
  const int last = static_cast<int>(std::ceil(std::log10(to)));
  const bool narrow = to / from < 100.0;
  return narrow ? makeNarrowTicks(from, to, first, last) : makeWideTicks(from, to, first, last);
}

}  // namespace flexloop::reports
