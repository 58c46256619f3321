// The figure of `flexloop plot`: channels over time or over another channel.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/time_record.hpp"
#include "reports/charts/svg_chart.hpp"

namespace flexloop::reports {

struct PlotRecord {
  std::string name;  // in the legend, where there are several
  analysis::TimeRecord record;
  std::vector<double> over;  // the values of another channel; empty: the time
};

struct PlotAxis {
  std::string name = "time", unit = "s";
};

// One chart for each unit, in the order in which they come; records are overlaid.
std::vector<Chart> makePlotCharts(const std::vector<PlotRecord>& records, const PlotAxis& axis,
                                  const std::string& title);

}  // namespace flexloop::reports
