// The figures of sweep_text.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/sweep_text.hpp"

namespace flexloop::reports {
namespace {

using analysis::Mode;
using study::ModeSweep;
using study::ModeSweepPoint;
using study::TrackedMode;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostNames = 10;  // in a legend

// Values that grow by factors are shown on a logarithmic axis.
bool isLogarithmic(const study::SweepAxis& axis) {
  const std::vector<double>& v = axis.values;
  if (v.size() < 3 || v.front() <= 0.0 || v.back() <= 0.0) return false;
  return std::abs(v[1] * v[1] - v[0] * v[2]) < 1e-9 * v[1] * v[1];
}

// x and y of a mode in the figure.
void addPoint(const ModeSweepPoint& point, const Mode& mode, SweepFigure figure,
              ChartCurve& curve) {
  const double parameter = point.settings.back().value;
  switch (figure) {
    case SweepFigure::kCampbell:
      curve.x.push_back(parameter);
      curve.y.push_back(mode.frequencyHz());
      break;
    case SweepFigure::kLocus:
      curve.x.push_back(mode.eigenvalue.real());
      curve.y.push_back(mode.eigenvalue.imag());
      break;
    case SweepFigure::kDamping:
      curve.x.push_back(parameter);
      curve.y.push_back(mode.dampingRatio());
      break;
  }
}

ChartCurve makeCurve(const ModeSweep& sweep, int track, SweepFigure figure) {
  ChartCurve curve{.name = base::formatText("mode %d", track + 1), .x = {}, .y = {}};
  const std::size_t length = sweep.axes.back().values.size();
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const ModeSweepPoint& point = sweep.points[i];
    if (i > 0 && i % length == 0) {  // the next value of the axes before
      curve.x.push_back(kNone);
      curve.y.push_back(kNone);
    }
    const auto found = std::find_if(point.modes.begin(), point.modes.end(),
                                    [&](const TrackedMode& mode) { return mode.track == track; });
    if (found != point.modes.end()) {
      addPoint(point, found->mode, figure, curve);
    } else {
      curve.x.push_back(kNone);  // a gap
      curve.y.push_back(kNone);
    }
  }
  return curve;
}

// Roots without a frequency are all on one line.
bool isReal(const ChartCurve& campbell) {
  return std::none_of(campbell.y.begin(), campbell.y.end(), [](double y) { return y > 0.0; });
}

// Where the field of a value begins and ends: in the middle between it and its neighbours.
double findEdge(const study::SweepAxis& axis, std::size_t i, bool isUpper) {
  const std::vector<double>& v = axis.values;
  if (v.size() < 2) return v[0] + (isUpper ? 0.5 : -0.5);
  const bool logarithmic = isLogarithmic(axis);
  const auto measure = [&](double x) { return logarithmic ? std::log(x) : x; };
  const std::size_t lower = isUpper ? std::min(i, v.size() - 2) : (i > 0 ? i - 1 : 0);
  const double step = measure(v[lower + 1]) - measure(v[lower]);
  const double edge = measure(v[i]) + (isUpper ? 0.5 : -0.5) * step;
  return logarithmic ? std::exp(edge) : edge;
}

ChartAxis makeAxis(const study::SweepAxis& axis) {
  const double first = findEdge(axis, 0, false);
  const double last = findEdge(axis, axis.values.size() - 1, true);
  return {.label = axis.name,
          .logarithmic = isLogarithmic(axis),
          .from = std::min(first, last),
          .to = std::max(first, last)};
}

// Darker green the better the worst mode is damped; red where one grows; grey where nothing is known.
std::string findColor(const ModeSweepPoint& point) {
  const Mode* rightmost = point.findRightmost();
  if (!point.ok() || rightmost == nullptr) return "#bbbbbb";
  if (!rightmost->isStable()) return "#d9655b";
  double least = 1.0;
  for (const TrackedMode& tracked : point.modes) {
    least = std::min(least, tracked.mode.dampingRatio());
  }
  const double shade = std::sqrt(std::clamp(least, 0.0, 1.0));
  return base::formatText("rgb(%d,%d,%d)", static_cast<int>(225.0 - 170.0 * shade),
                          static_cast<int>(240.0 - 110.0 * shade),
                          static_cast<int>(215.0 - 155.0 * shade));
}

}  // namespace

void writeModeSweepSvg(const std::string& path, const ModeSweep& sweep, SweepFigure figure) {
  const study::SweepAxis& axis = sweep.axes.back();
  Chart chart;
  chart.x = {.label = axis.name, .logarithmic = isLogarithmic(axis)};
  switch (figure) {
    case SweepFigure::kCampbell:
      chart.title = "Frequencies over " + axis.name;
      chart.y.label = "frequency [Hz]";
      break;
    case SweepFigure::kLocus:
      chart.title = "Roots for " + axis.name + " from " + base::numberText(axis.values.front()) +
                    " (circles) to " + base::numberText(axis.values.back());
      chart.x = {.label = "real part [1/s]", .hasRoom = true};
      chart.uprights = {0.0};
      chart.y.label = "imaginary part [rad/s]";
      break;
    case SweepFigure::kDamping:
      chart.title = "Damping over " + axis.name;
      chart.y.label = "damping ratio";
      chart.levels = {0.0};
      break;
  }
  for (int track = 0; track < sweep.tracks; ++track) {
    ChartCurve curve = makeCurve(sweep, track, figure);
    if (figure == SweepFigure::kCampbell && isReal(curve)) continue;
    curve.marksStart = figure == SweepFigure::kLocus;
    chart.curves.push_back(std::move(curve));
    if (chart.curves.size() > kMostNames) chart.curves.back().name.clear();
  }
  files::writeTextFile(path, drawSvg(chart));
}

void writeStabilityMapSvg(const std::string& path, const ModeSweep& sweep) {
  const study::SweepAxis &first = sweep.axes[0], &second = sweep.axes[1];
  Chart chart;
  chart.title = "Stable (green, darker: better damped) and unstable (red)";
  chart.x = makeAxis(first);
  chart.y = makeAxis(second);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const std::size_t a = i / second.values.size(), b = i % second.values.size();
    ChartCell cell{findEdge(first, a, false), findEdge(first, a, true), findEdge(second, b, false),
                   findEdge(second, b, true), findColor(sweep.points[i])};
    if (cell.x0 > cell.x1) std::swap(cell.x0, cell.x1);
    if (cell.y0 > cell.y1) std::swap(cell.y0, cell.y1);
    chart.cells.push_back(std::move(cell));
  }
  files::writeTextFile(path, drawSvg(chart));
}

void writeOutputSweepSvg(const std::string& path, const study::OutputSweep& sweep) {
  const study::SweepAxis& axis = sweep.axes.back();
  Chart chart;
  chart.title = "Outputs over " + axis.name;
  chart.x = {.label = axis.name, .logarithmic = isLogarithmic(axis)};
  for (std::size_t output = 0; output < sweep.outputs.size(); ++output) {
    ChartCurve curve{.name = output < kMostNames ? sweep.outputs[output] : "", .x = {}, .y = {}};
    for (const study::OutputSweepPoint& point : sweep.points) {
      curve.x.push_back(point.settings.back().value);
      curve.y.push_back(point.ok() ? point.last[output] : kNone);
    }
    chart.curves.push_back(std::move(curve));
  }
  files::writeTextFile(path, drawSvg(chart));
}

}  // namespace flexloop::reports
