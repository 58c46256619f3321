#include "reports/plot_figure.hpp"

#include <algorithm>

namespace flexloop::reports {
namespace {

using analysis::TimeRecord;

// No screen or printer shows more steps of time than this.
constexpr std::size_t kColumns = 1500;
constexpr std::size_t kMostNames = 3;  // on an axis

// Of the points that share a column of the picture, the first, the lowest and the highest: peaks stay.
ChartCurve thin(const std::vector<double>& x, const std::vector<double>& y) {
  if (y.size() <= 3 * kColumns) return {{}, x, y};
  ChartCurve thinned;
  for (std::size_t column = 0; column < kColumns; ++column) {
    const std::size_t from = column * y.size() / kColumns, to = (column + 1) * y.size() / kColumns;
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(from);
    const auto [low, high] =
        std::minmax_element(first, y.begin() + static_cast<std::ptrdiff_t>(to));
    std::vector<std::ptrdiff_t> kept{first - y.begin(), low - y.begin(), high - y.begin()};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::ptrdiff_t i : kept) {
      thinned.x.push_back(x[static_cast<std::size_t>(i)]);
      thinned.y.push_back(y[static_cast<std::size_t>(i)]);
    }
  }
  thinned.x.push_back(x.back());
  thinned.y.push_back(y.back());
  return thinned;
}

std::vector<std::string> unitsOf(const std::vector<PlotRecord>& records) {
  std::vector<std::string> units;
  for (const PlotRecord& plot : records) {
    for (const std::string& unit : plot.record.units) {
      if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
    }
  }
  return units;
}

std::string withUnit(const std::string& names, const std::string& unit) {
  if (unit.empty()) return names;
  return names.empty() ? "[" + unit + "]" : names + " [" + unit + "]";
}

std::string joinNames(const std::vector<std::string>& names) {
  if (names.size() > kMostNames) return {};
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Chart makeChart(const std::vector<PlotRecord>& records, const PlotAxis& axis,
                const std::string& unit) {
  Chart chart;
  chart.x.label = withUnit(axis.name, axis.unit);
  std::vector<std::string> names;
  for (const PlotRecord& plot : records) {
    const TimeRecord& record = plot.record;
    for (std::size_t i = 0; i < record.names.size(); ++i) {
      if (record.units[i] != unit) continue;
      // Over another channel, neighbours in time need not be neighbours in the picture.
      ChartCurve curve = plot.over.empty() ? thin(record.times, record.columns[i])
                                           : ChartCurve{{}, plot.over, record.columns[i]};
      curve.name = record.names[i] + (records.size() > 1 ? " (" + plot.name + ")" : "");
      chart.curves.push_back(std::move(curve));
      if (std::find(names.begin(), names.end(), record.names[i]) == names.end()) {
        names.push_back(record.names[i]);
      }
    }
  }
  chart.y.label = withUnit(joinNames(names), unit);
  // The axis names it already.
  if (chart.curves.size() == 1) chart.curves.front().name.clear();
  return chart;
}

}  // namespace

std::vector<Chart> makePlotCharts(const std::vector<PlotRecord>& records, const PlotAxis& axis,
                                  const std::string& title) {
  std::vector<Chart> charts;
  for (const std::string& unit : unitsOf(records)) {
    charts.push_back(makeChart(records, axis, unit));
  }
  if (!charts.empty()) charts.front().title = title;
  return charts;
}

}  // namespace flexloop::reports
