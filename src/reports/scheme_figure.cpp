// The figure of scheme_text.hpp.
#include <algorithm>
#include <utility>

#include "files/output_file.hpp"
#include "reports/charts/svg_chart.hpp"
#include "reports/scheme_text.hpp"

namespace flexloop::reports {
namespace {

using analysis::SchemePoint;

constexpr double kHighest = 1.2;  // shown of an unstable scheme

ChartCurve makeCurve(std::string name, const std::vector<SchemePoint>& points,
                     double SchemePoint::*radius) {
  ChartCurve curve{.name = std::move(name), .x = {}, .y = {}};
  for (const SchemePoint& point : points) {
    curve.x.push_back(point.frequency);
    curve.y.push_back(point.*radius);
  }
  return curve;
}

}  // namespace

void writeSchemeSvg(const std::string& path, const SchemeRequest& request,
                    const analysis::SchemeProperties& properties) {
  const std::vector<SchemePoint>& points = properties.points;
  Chart chart{
      .title = nameScheme(request),
      .x = {.label = "frequency × step,  hω or hσ", .logarithmic = true},
      .y = {.label = "spectral radius", .logarithmic = false},
      .curves = {makeCurve("motion (" + request.motionName + ")", points,
                           &SchemePoint::motionRadius),
                 makeCurve("states (" + request.stateName + ")", points, &SchemePoint::stateRadius),
                 makeCurve("coupled", points, &SchemePoint::coupledRadius)},
      .levels = {1.0}};
  for (const ChartCurve& curve : chart.curves) {
    if (*std::max_element(curve.y.begin(), curve.y.end()) > kHighest) chart.y.to = kHighest;
  }
  files::writeTextFile(path, drawSvg(chart));
}

}  // namespace flexloop::reports
