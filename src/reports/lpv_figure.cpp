// The figure of `lpv`: the machine beside the model where the model was interpolated.
#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/lpv_text.hpp"

namespace flexloop::reports {
namespace {

using Eigen::Index;

// The first, the middle and the last of the values between the points.
std::vector<std::size_t> chooseValues(std::size_t count) {
  std::vector<std::size_t> chosen{0, count / 2, count - 1};
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

ChartCurve makeCurve(const std::string& name, const std::vector<double>& hz,
                     const std::vector<Eigen::MatrixXcd>& responses, Index output, Index input) {
  ChartCurve curve{.name = name, .x = hz, .y = {}};
  for (const Eigen::MatrixXcd& H : responses) curve.y.push_back(std::abs(H(output, input)));
  return curve;
}

Chart makeResponseChart(const LpvReport& report, Index output, Index input) {
  const std::string name = report.model.outputs[output] + " / " + report.model.inputs[input];
  Chart chart{.title = name + ": machine and model between the points",
              .x = {.label = "frequency [Hz]", .logarithmic = true},
              .y = {.label = "magnitude", .logarithmic = true},
              .curves = {},
              .levels = {}};
  for (const std::size_t i : chooseValues(report.between.size())) {
    const study::LpvError& at = report.between[i];
    const std::string value = control::namePoint(report.model, at.at);
    chart.curves.push_back(makeCurve(value, at.hz, at.machine, output, input));
    chart.curves.push_back(makeCurve(value + ", model", at.hz, at.interpolated, output, input));
  }
  return chart;
}

Chart makeErrorChart(const LpvReport& report) {
  Chart chart{.title = "error of each response, as a share of the response",
              .x = {.label = report.model.axes[0].name},
              .y = {.label = "error", .logarithmic = true},
              .curves = {},
              .levels = {}};
  std::vector<const study::LpvError*> all;
  for (const auto* list : {&report.points, &report.between}) {
    for (const study::LpvError& error : *list) all.push_back(&error);
  }
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->at < b->at; });
  for (std::size_t k = 0; k < report.model.inputs.size(); ++k) {
    for (std::size_t i = 0; i < report.model.outputs.size(); ++i) {
      ChartCurve curve{
          .name = report.model.outputs[i] + " / " + report.model.inputs[k], .x = {}, .y = {}};
      for (const study::LpvError* error : all) {
        curve.x.push_back(error->at[0]);
        curve.y.push_back(error->mean(static_cast<Index>(i), static_cast<Index>(k)));
      }
      chart.curves.push_back(std::move(curve));
    }
  }
  return chart;
}

}  // namespace

void writeLpvSvg(const std::string& path, const LpvReport& report) {
  constexpr std::size_t kMostResponses = 6;
  std::vector<Chart> charts;
  for (std::size_t k = 0; k < report.model.inputs.size(); ++k) {
    for (std::size_t i = 0; i < report.model.outputs.size(); ++i) {
      if (charts.size() == kMostResponses) break;
      charts.push_back(makeResponseChart(report, static_cast<Index>(i), static_cast<Index>(k)));
    }
  }
  if (report.model.axes.size() == 1) charts.push_back(makeErrorChart(report));
  files::writeTextFile(path, drawSvgColumn(charts));
}

}  // namespace flexloop::reports
