// The figure of spectrum_text.hpp.
#include <algorithm>

#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/spectrum_text.hpp"

namespace flexloop::reports {
namespace {

constexpr double kLowest = 1e-6;  // of the highest amplitude
constexpr double kBeyond = 1.5;   // of the highest frequency that is seen
// Bins closer than this share of their frequency are one point on any screen.
constexpr std::size_t kResolution = 1000;

// Of neighbours that coincide the highest, so that no peak is lost. The axis has no zero.
ChartCurve makeCurve(const analysis::ChannelReport& channel) {
  const std::vector<double>& amplitude = channel.spectrum.amplitude;
  ChartCurve curve{.name = channel.name, .x = {}, .y = {}};
  for (std::size_t k = 1; k < amplitude.size();) {
    const std::size_t end = std::min(k + 1 + k / kResolution, amplitude.size());
    const auto first = amplitude.begin() + static_cast<std::ptrdiff_t>(k);
    const auto last = amplitude.begin() + static_cast<std::ptrdiff_t>(end);
    const auto highest = std::max_element(first, last);
    curve.x.push_back(
        channel.spectrum.frequency[static_cast<std::size_t>(highest - amplitude.begin())]);
    curve.y.push_back(*highest);
    k = end;
  }
  return curve;
}

// Somewhat beyond the last frequency with an amplitude that is seen.
double findEnd(const std::vector<ChartCurve>& curves, double lowest) {
  double seen = 0.0, last = 0.0;
  for (const ChartCurve& curve : curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      last = std::max(last, curve.x[i]);
      if (curve.y[i] > lowest) seen = std::max(seen, curve.x[i]);
    }
  }
  return std::min(last, kBeyond * seen);
}

}  // namespace

void writeSpectrumSvg(const std::string& path, const SpectrumSummary& summary) {
  Chart chart{.title = "Spectrum of " + summary.file,
              .x = {.label = "frequency [Hz]", .logarithmic = true},
              .y = {.label = "amplitude", .logarithmic = true},
              .curves = {},
              .levels = {}};
  double highest = 0.0;
  for (const analysis::ChannelReport& channel : summary.report.channels) {
    chart.curves.push_back(makeCurve(channel));
    for (const double y : chart.curves.back().y) highest = std::max(highest, y);
  }
  if (highest > 0.0) {
    chart.y.from = kLowest * highest;
    chart.x.to = findEnd(chart.curves, kLowest * highest);
  }
  files::writeTextFile(path, drawSvg(chart));
}

}  // namespace flexloop::reports
