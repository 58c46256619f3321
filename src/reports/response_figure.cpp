// The Bode figure of response_text.hpp.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/response_text.hpp"

namespace flexloop::reports {
namespace {

using Complex = std::complex<double>;

constexpr double kHalfTurn = 1e-3;  // [deg] how near to half a turn is one

struct Curves {
  ChartCurve magnitude, phase;
};

// The phase continues through ±180° instead of jumping. Without damping it turns by just half a turn at every
// resonance, and which way is a matter of taste: then it stays about -90°, as with a little damping where
// sensor and actuator are in one place.
double continuePhase(double phase, double last) {
  phase += 360.0 * std::round((last - phase) / 360.0);
  const bool isHalfTurn = std::abs(std::abs(phase - last) - 180.0) < kHalfTurn;
  if (!isHalfTurn) return phase;
  const double other = phase > last ? phase - 360.0 : phase + 360.0;
  return std::abs(other + 90.0) < std::abs(phase + 90.0) ? other : phase;
}

Curves makeCurves(const ResponseReport& report, Eigen::Index output, Eigen::Index input) {
  const bool isLoop = report.loop.has_value();
  const std::string name =
      isLoop ? "L" : report.names.outputs[output] + " / " + report.names.inputs[input];
  Curves curves{{.name = name, .x = {}, .y = {}}, {.name = name, .x = {}, .y = {}}};
  double last = 0.0;
  for (std::size_t f = 0; f < report.response.H.size(); ++f) {
    const Complex value = report.response.H[f](output, input) * (isLoop ? -1.0 : 1.0);
    double phase = std::arg(value) * 180.0 / std::numbers::pi;
    if (f > 0) phase = continuePhase(phase, last);
    last = phase;
    curves.magnitude.x.push_back(report.response.frequencyHz[f]);
    curves.magnitude.y.push_back(std::abs(value));
    curves.phase.x.push_back(report.response.frequencyHz[f]);
    curves.phase.y.push_back(phase);
  }
  return curves;
}

}  // namespace

void writeResponseSvg(const std::string& path, const ResponseReport& report) {
  const std::vector<double>& frequency = report.response.frequencyHz;
  const bool isLogarithmic =
      std::all_of(frequency.begin(), frequency.end(), [](double f) { return f > 0.0; });
  const ChartAxis x{.label = "frequency [Hz]", .logarithmic = isLogarithmic};
  Chart magnitude{.title = report.title,
                  .x = x,
                  .y = {.label = "magnitude", .logarithmic = true},
                  .curves = {},
                  .levels = {}};
  Chart phase{.title = "",
              .x = x,
              .y = {.label = "phase [deg]", .unit = 45.0},
              .curves = {},
              .levels = {-180.0, 0.0}};
  if (report.loop) {
    magnitude.title += ": L, cut at " + report.names.cut;
    magnitude.levels = {1.0};
  }
  for (Eigen::Index k = 0; k < std::ssize(report.names.inputs); ++k) {
    for (Eigen::Index i = 0; i < std::ssize(report.names.outputs); ++i) {
      Curves curves = makeCurves(report, i, k);
      magnitude.curves.push_back(std::move(curves.magnitude));
      phase.curves.push_back(std::move(curves.phase));
    }
  }
  files::writeTextFile(path, drawSvgColumn({magnitude, phase}));
}

}  // namespace flexloop::reports
