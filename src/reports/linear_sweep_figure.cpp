// The figure of linear_sweep_text.hpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/linear_sweep_text.hpp"
#include "reports/sweep_parts.hpp"

namespace flexloop::reports {
namespace {

using ResponsePoint = study::SweepPoint<ResponseReport>;

constexpr std::size_t kMostNames = 8, kFewestNames = 4;  // in a legend

// From the first value to the last: dark blue, green, orange, which also differ in brightness.
std::string findColor(double part) {
  constexpr std::array<std::array<double, 3>, 3> kColors{
      {{38.0, 34.0, 98.0}, {24.0, 140.0, 126.0}, {235.0, 150.0, 30.0}}};
  const std::size_t lower = part < 0.5 ? 0 : 1;
  const double rest = 2.0 * part - static_cast<double>(lower);
  const auto mix = [&](std::size_t i) {
    return static_cast<int>(
        std::lround((1.0 - rest) * kColors[lower][i] + rest * kColors[lower + 1][i]));
  };
  return base::formatText("rgb(%d,%d,%d)", mix(0), mix(1), mix(2));
}

// By how many curves names are apart. Both ends have one where that is possible.
std::size_t findStride(std::size_t count) {
  if (count <= kMostNames) return 1;
  for (std::size_t names = kMostNames; names >= kFewestNames; --names) {
    if ((count - 1) % (names - 1) == 0) return (count - 1) / (names - 1);
  }
  return (count + kMostNames - 1) / kMostNames;
}

// A legend has no room for paths: of springs.wall.stiffness it shows the last part.
std::string nameOf(study::Settings settings) {
  for (study::Setting& setting : settings) {
    setting.name.erase(0, setting.name.rfind('.') + 1);
  }
  return settingsText(settings);
}

ChartCurve makeCurve(const ResponsePoint& point, Eigen::Index output, Eigen::Index input) {
  ChartCurve curve{.name = {}, .x = point.result.response.frequencyHz, .y = {}};
  for (const Eigen::MatrixXcd& H : point.result.response.H) {
    curve.y.push_back(std::abs(H(output, input)));
  }
  return curve;
}

bool isLogarithmic(const ResponseReport& report) {
  const std::vector<double>& frequency = report.response.frequencyHz;
  return std::all_of(frequency.begin(), frequency.end(), [](double f) { return f > 0.0; });
}

Chart makeChart(const ResponseSweep& sweep, const ResponseReport& first, Eigen::Index output,
                Eigen::Index input) {
  Chart chart{
      .title = first.title + ": " + first.names.outputs[output] + " / " + first.names.inputs[input],
      .x = {.label = "frequency [Hz]", .logarithmic = isLogarithmic(first)},
      .y = {.label = "magnitude", .logarithmic = true},
      .curves = {},
      .levels = {}};
  if (first.loop) {
    chart.title = first.title + ": L, cut at " + first.names.cut;
    chart.levels = {1.0};
  }
  const std::size_t count = sweep.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ResponsePoint& point = sweep.points[i];
    if (!point.ok()) continue;
    ChartCurve curve = makeCurve(point, output, input);
    curve.color = findColor(count < 2 ? 0.0 : static_cast<double>(i) / (count - 1));
    if (i % findStride(count) == 0) curve.name = nameOf(point.settings);
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

}  // namespace

void writeResponseSweepSvg(const std::string& path, const ResponseSweep& sweep) {
  std::vector<Chart> charts;
  if (const ResponseReport* first = sweep.findFirst()) {
    for (Eigen::Index k = 0; k < std::ssize(first->names.inputs); ++k) {
      for (Eigen::Index i = 0; i < std::ssize(first->names.outputs); ++i) {
        charts.push_back(makeChart(sweep, *first, i, k));
      }
    }
  }
  files::writeTextFile(path, drawSvgColumn(charts));
}

}  // namespace flexloop::reports
