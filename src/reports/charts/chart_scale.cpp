#include "reports/charts/chart_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::reports {
namespace {

constexpr double kFar = 100.0;  // lengths of the axis

}  // namespace

ChartScale::ChartScale(const ChartAxis& axis, double least, double largest, double margin)
    : logarithmic_(axis.logarithmic), unit_(axis.unit) {
  if (least > largest) {
    least = logarithmic_ ? 1.0 : 0.0;
    largest = logarithmic_ ? 10.0 : 1.0;
  }
  from_ = measure(axis.from.value_or(least));
  to_ = measure(axis.to.value_or(largest));
  const double room = to_ > from_ ? margin * (to_ - from_) : 0.5;
  if (!axis.from) from_ -= room;
  if (!axis.to) to_ += room;
}

bool ChartScale::has(double value) const {
  return std::isfinite(value) && (!logarithmic_ || value > 0.0);
}

double ChartScale::at(double value) const {
  // Far outside all values look the same, and stay numbers that every viewer takes.
  return std::clamp((measure(value) - from_) / (to_ - from_), -kFar, kFar);
}

std::vector<Tick> ChartScale::ticks(int count) const {
  if (unit_) return makeUnitTicks(from_, to_, count, *unit_);
  return logarithmic_ ? makeLogarithmicTicks(std::pow(10.0, from_), std::pow(10.0, to_))
                      : makeLinearTicks(from_, to_, count);
}

double ChartScale::measure(double value) const {
  return logarithmic_ ? std::log10(value) : value;
}

ChartScale makeScale(const ChartAxis& axis, const std::vector<ChartCurve>& curves,
                     std::vector<double> ChartCurve::*values, double margin) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (const ChartCurve& curve : curves) {
    for (const double value : curve.*values) {
      if (!std::isfinite(value) || (axis.logarithmic && value <= 0.0)) continue;
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
  }
  return {axis, least, largest, margin};
}

}  // namespace flexloop::reports
