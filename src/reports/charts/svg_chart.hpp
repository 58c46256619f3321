// A line chart as SVG: one frame, curves over a linear or logarithmic axis, and a legend where it
// hides the least. It needs no other program, and looks the same in print and on a screen.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flexloop::reports {

struct ChartAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> from{}, to{};  // absent: from the curves
  std::optional<double> unit{};        // ticks at whole multiples of it, as of 45 degrees
  bool hasRoom = false;                // of x: some free space beyond the curves, as y always has
};

struct ChartCurve {
  std::string name;  // in the legend; empty: not there
  std::vector<double> x, y;
  bool marksStart = false;  // with a circle
  std::string color{};      // as in SVG, without dashes; empty: the next pen
};

// A coloured field behind the curves, between two values of x and two of y.
struct ChartCell {
  double x0 = 0.0, x1 = 0.0, y0 = 0.0, y1 = 0.0;
  std::string color;  // as in SVG
};

struct Chart {
  std::string title;  // may be empty
  ChartAxis x, y;
  std::vector<ChartCurve> curves;
  std::vector<double> levels;         // values of y that get a thin line across
  std::vector<double> uprights = {};  // values of x that get one
  std::vector<ChartCell> cells = {};  // axes whose ends are not given do not see them
};

// Points that are not finite, or not positive on a logarithmic axis, interrupt a curve. Curves
// differ in colour and in dashes. Texts are escaped.
std::string drawSvg(const Chart& chart);
// Charts below each other in one picture.
std::string drawSvgColumn(const std::vector<Chart>& charts);

}  // namespace flexloop::reports
