// A line chart as SVG: one frame, curves over a linear or logarithmic axis, and a legend where it
// hides the least. It needs no other program, and looks the same in print and on a screen.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flexloop::io {

struct ChartAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> from{}, to{};  // absent: from the curves
};

struct ChartCurve {
  std::string name;  // in the legend; empty: not there
  std::vector<double> x, y;
};

struct Chart {
  std::string title;  // may be empty
  ChartAxis x, y;
  std::vector<ChartCurve> curves;
  std::vector<double> levels;  // values of y that get a thin line across
};

// Points that are not finite, or not positive on a logarithmic axis, interrupt a curve. Curves
// differ in colour and in dashes. Texts are escaped.
std::string drawSvg(const Chart& chart);
// Charts below each other in one picture.
std::string drawSvgColumn(const std::vector<Chart>& charts);

}  // namespace flexloop::io
