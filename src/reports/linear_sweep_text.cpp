#include "reports/linear_sweep_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "reports/sweep_parts.hpp"

namespace flexloop::reports {
namespace {

using analysis::GainMargin;
using analysis::PhaseMargin;
using analysis::ReturnRatio;
using Json = nlohmann::ordered_json;
using ResponsePoint = study::SweepPoint<ResponseReport>;
using StateSpacePoint = study::SweepPoint<analysis::StateSpaceResult>;

constexpr std::size_t kLeastColumn = 12;  // letters

// The values of a point, or the names above them.
std::string alignColumns(const std::vector<study::SweepAxis>& axes,
                         const study::Settings* settings) {
  std::string line;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string text =
        settings == nullptr ? axes[i].name : base::formatText("%.6g", (*settings)[i].value);
    const std::size_t width = std::max(kLeastColumn, axes[i].name.size()) + 2;
    line += std::string(width - std::min(width, text.size()), ' ') + text;
  }
  return line;
}

std::string describeLoop(const ReturnRatio& loop) {
  const GainMargin* gain = loop.margins.smallestGain();
  const PhaseMargin* phase = loop.margins.smallestPhase();
  std::string line =
      gain != nullptr
          ? base::formatText("  %12.4f  %12.6g", 20.0 * std::log10(gain->factor), gain->frequencyHz)
          : base::formatText("  %12s  %12s", "infinite", "-");
  line += phase != nullptr
              ? base::formatText("  %12.4f  %14.6g", phase->degrees, phase->frequencyHz)
              : base::formatText("  %12s  %14s", "infinite", "-");
  line += base::formatText("  %11.4g", loop.margins.highestSensitivity);
  if (!loop.closedUnstable) return line + "  unknown";
  if (!loop.isStable()) return line + "  UNSTABLE";
  return line + (loop.isComplete ? "  stable" : "  none of the slowest modes grows");
}

// The largest of the frequencies that were computed.
std::string describePeak(const ResponseReport& report, Eigen::Index output, Eigen::Index input) {
  const auto& H = report.response.H;
  std::size_t peak = 0;
  for (std::size_t f = 0; f < H.size(); ++f) {
    if (std::abs(H[f](output, input)) > std::abs(H[peak](output, input))) peak = f;
  }
  return base::formatText("  %14.7g  %12.6g", std::abs(H[peak](output, input)),
                          report.response.frequencyHz[peak]);
}

// `describe` makes the rest of the row of a point that has a result.
template <class Describe>
void addTable(const ResponseSweep& sweep, const std::string& header, const Describe& describe,
              std::vector<std::string>& lines) {
  lines.push_back(alignColumns(sweep.axes, nullptr) + header);
  for (const ResponsePoint& point : sweep.points) {
    lines.push_back(alignColumns(sweep.axes, &point.settings) +
                    (point.ok() ? describe(point.result) : "  failed: " + point.failure->message));
  }
}

// "parameters", "points" and "complete"; `describe` makes the text of what a point has.
template <class Sweep, class Describe>
std::string makeSweepJson(const Sweep& sweep, const Describe& describe) {
  Json json;
  json["parameters"] = makeAxesJson(sweep.axes);
  json["points"] = Json::array();
  for (const auto& point : sweep.points) {
    Json entry = startPoint(point.settings, point.failure);
    if (point.ok()) entry.update(Json::parse(describe(point.result)));
    json["points"].push_back(std::move(entry));
  }
  json["complete"] = sweep.isComplete;
  return json.dump() + "\n";
}

}  // namespace

std::vector<std::string> describeResponseSweep(const ResponseSweep& sweep) {
  std::vector<std::string> lines;
  const ResponseReport* first = sweep.findFirst();
  if (first == nullptr) return lines;
  const analysis::PortNames& names = first->names;
  if (first->loop) {
    lines.push_back("smallest margins of L = -(computed)/(read), cut at " + names.cut);
    addTable(
        sweep, "     gain [dB]       at [Hz]   phase [deg]  crossover [Hz]  sensitivity  closed",
        [](const ResponseReport& report) { return describeLoop(*report.loop); }, lines);
  }
  for (Eigen::Index k = 0; !first->loop && k < std::ssize(names.inputs); ++k) {
    for (Eigen::Index i = 0; i < std::ssize(names.outputs); ++i) {
      lines.push_back("from " + names.inputs[k] + " to " + names.outputs[i] +
                      (names.cut.empty() ? "" : ", cut at " + names.cut));
      addTable(
          sweep, "    largest gain       at [Hz]",
          [&](const ResponseReport& report) { return describePeak(report, i, k); }, lines);
    }
  }
  if (!sweep.isComplete) lines.push_back(stopText(sweep.points.size()));
  return lines;
}

std::vector<std::string> describeStateSpaceSweep(const StateSpaceSweep& sweep) {
  std::vector<std::string> lines;
  for (const StateSpacePoint& point : sweep.points) {
    const int states = static_cast<int>(point.result.system.A.rows());
    lines.push_back(settingsText(point.settings) + (point.ok()
                                                        ? base::formatText(": %d states", states)
                                                        : ": failed: " + point.failure->message));
  }
  if (!sweep.isComplete) lines.push_back(stopText(sweep.points.size()));
  return lines;
}

void writeResponseSweepJson(const std::string& path, const ResponseSweep& sweep) {
  files::writeTextFile(path, makeSweepJson(sweep, makeResponseJson));
}

void writeStateSpaceSweepJson(const std::string& path, const StateSpaceSweep& sweep) {
  files::writeTextFile(path, makeSweepJson(sweep, makeStateSpaceJson));
}

void writeResponseSweepCsv(const std::string& path, const ResponseSweep& sweep) {
  const ResponseReport* first = sweep.findFirst();
  const std::string columns = first == nullptr ? "" : makeResponseColumns(first->names);
  std::string text = startHeader(sweep.axes) + "frequency_hz" + columns + ",message\n";
  const auto commas = static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ','));
  for (const ResponsePoint& point : sweep.points) {
    if (!point.ok()) {
      appendSettings(point.settings, text);
      text += std::string(commas + 1, ',') + quoteForCsv(point.failure->message) + "\n";
    }
    const analysis::FrequencyResponse& response = point.result.response;
    for (std::size_t f = 0; point.ok() && f < response.H.size(); ++f) {
      appendSettings(point.settings, text);
      appendResponse(response.frequencyHz[f], response.H[f], text);
      text += ",\n";
    }
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
