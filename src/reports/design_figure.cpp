// Answers to steps with the controller and, where the machine settles without it, beside those without.
#include <algorithm>

#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/design_text.hpp"

namespace flexloop::reports {
namespace {

constexpr std::size_t kMostCharts = 8;

const analysis::StepFigures* findSame(const std::vector<analysis::StepFigures>& steps,
                                      const analysis::StepFigures& step) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const auto& other) {
    return other.input == step.input && other.output == step.output;
  });
  return found == steps.end() ? nullptr : &*found;
}

}  // namespace

void writeDesignSvg(const std::string& path, const DesignReport& report) {
  std::vector<Chart> charts;
  const int controls = static_cast<int>(report.inputs.size());
  for (const analysis::StepFigures& step : report.loop->steps) {
    const std::string name = nameStepOutput(report, step.output);
    Chart chart{.title = name + " after a unit step of " + nameStepInput(report, step.input),
                .x = {.label = "time [s]", .from = 0.0, .to = step.time.back()},
                .y = {.label = name},
                .curves = {{.name = "with the controller", .x = step.time, .y = step.value}},
                .levels = {0.0}};
    // A reference without a controller moves nothing.
    const auto* before = step.input < controls ? findSame(report.loop->stepsBefore, step) : nullptr;
    if (before != nullptr && before->peak != 0.0) {
      ChartCurve curve{.name = "without", .x = before->time, .y = before->value};
      while (curve.x.size() > 1 && curve.x.back() > step.time.back()) {
        curve.x.pop_back();
        curve.y.pop_back();
      }
      chart.curves.push_back(std::move(curve));
    } else {
      chart.curves[0].name.clear();
    }
    charts.push_back(std::move(chart));
    if (charts.size() == kMostCharts) break;
  }
  files::writeTextFile(path, drawSvgColumn(charts));
}

}  // namespace flexloop::reports
