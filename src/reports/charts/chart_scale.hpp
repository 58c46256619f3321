// Values of an axis of a chart to places along it. A part of svg_chart.hpp.
#pragma once

#include <optional>
#include <vector>

#include "reports/charts/chart_ticks.hpp"
#include "reports/charts/svg_chart.hpp"

namespace flexloop::reports {

class ChartScale {
 public:
  // Where the axis does not say its ends, they are the least and the largest value, with a margin,
  // a part of the range, to both sides. least > largest: there are no values.
  ChartScale(const ChartAxis& axis, double least, double largest, double margin);

  // Whether the value has a place at all.
  bool has(double value) const;
  // 0 at the start of the axis, 1 at its end.
  double at(double value) const;
  // About `count` of them with numbers.
  std::vector<Tick> ticks(int count) const;

 private:
  double measure(double value) const;

  bool logarithmic_;
  std::optional<double> unit_;
  double from_ = 0.0, to_ = 1.0;  // of what is measured
};

// For the x or the y of all curves.
ChartScale makeScale(const ChartAxis& axis, const std::vector<ChartCurve>& curves,
                     std::vector<double> ChartCurve::*values, double margin);

}  // namespace flexloop::reports
