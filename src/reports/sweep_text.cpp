#include "reports/sweep_text.hpp"

#include <cmath>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"
#include "reports/limit_text.hpp"
#include "reports/sweep_parts.hpp"

namespace flexloop::reports {
namespace {

using analysis::Mode;
using Json = nlohmann::ordered_json;
using study::ModeSweep;
using study::ModeSweepPoint;
using study::OutputAnalysis;
using study::OutputSweep;
using study::OutputSweepPoint;
using study::TrackedMode;

// Of what is printed with five digits.
double withoutMinusZero(double ratio) {
  return std::abs(ratio) < 5e-6 ? 0.0 : ratio;
}

Json modeToJson(const TrackedMode& tracked) {
  const Mode& mode = tracked.mode;
  Json json;
  json["track"] = tracked.track + 1;
  json["eigenvalue"] = {mode.eigenvalue.real() + 0.0, mode.eigenvalue.imag() + 0.0};
  json["frequency_hz"] = mode.frequencyHz();
  json["damping_ratio"] = mode.dampingRatio() + 0.0;
  json["stable"] = mode.isStable();
  return json;
}

}  // namespace

std::vector<std::string> describeModeSweep(const ModeSweep& sweep) {
  std::vector<std::string> lines;
  for (const ModeSweepPoint& point : sweep.points) {
    lines.push_back(settingsText(point.settings) +
                    (point.ok() ? "" : ": failed: " + point.failure->message));
    if (point.isUnclear)
      lines.emplace_back("  modes may have been confused before this point: use a finer sweep");
    for (const TrackedMode& tracked : point.modes) {
      const Mode& mode = tracked.mode;
      lines.push_back(base::formatText(
          "  mode %-3d %14.7g Hz  damping %9.5f  (%.7g, %.7g)%s", tracked.track + 1,
          mode.frequencyHz(), withoutMinusZero(mode.dampingRatio()), mode.eigenvalue.real() + 0.0,
          mode.eigenvalue.imag() + 0.0, mode.isStable() ? "" : "  unstable"));
    }
  }
  if (!sweep.isComplete) lines.push_back(stopText(sweep.points.size()));
  return lines;
}

std::vector<std::string> describeOutputSweep(const OutputSweep& sweep) {
  const bool isRun = sweep.analysis == OutputAnalysis::kRun;
  std::vector<std::string> lines;
  for (const OutputSweepPoint& point : sweep.points) {
    lines.push_back(settingsText(point.settings) +
                    (point.ok() ? "" : ": failed: " + point.failure->message));
    for (std::size_t i = 0; point.ok() && i < sweep.outputs.size(); ++i) {
      lines.push_back(
          base::formatText("  %-20s %16.9g %s", sweep.outputs[i].c_str(), point.last[i],
                           sweep.units[i].c_str()) +
          (isRun ? base::formatText("  (%.6g to %.6g)", point.least[i], point.largest[i]) : ""));
    }
  }
  if (!sweep.isComplete) lines.push_back(stopText(sweep.points.size()));
  return lines;
}

void writeModeSweepJson(const std::string& path, const ModeSweep& sweep,
                        const std::optional<study::StabilityLimits>& limits) {
  Json json;
  json["parameters"] = makeAxesJson(sweep.axes);
  json["points"] = Json::array();
  for (const ModeSweepPoint& point : sweep.points) {
    Json entry = startPoint(point.settings, point.failure);
    if (point.ok()) {
      entry["modes"] = Json::array();
      for (const TrackedMode& mode : point.modes) entry["modes"].push_back(modeToJson(mode));
      entry["tracking_unclear"] = point.isUnclear;
      const Mode* rightmost = point.findRightmost();
      entry["stable"] = rightmost == nullptr || rightmost->isStable();
    }
    json["points"].push_back(std::move(entry));
  }
  json["tracks"] = sweep.tracks;
  json["complete"] = sweep.isComplete;
  if (limits) {
    json["stability_limits"] = Json::parse(makeLimitsJson(sweep, *limits, ModeNumbers::kTold));
  }
  files::writeTextFile(path, json.dump(2) + "\n");
}

void writeOutputSweepJson(const std::string& path, const OutputSweep& sweep) {
  const bool isRun = sweep.analysis == OutputAnalysis::kRun;
  Json json;
  json["parameters"] = makeAxesJson(sweep.axes);
  json["points"] = Json::array();
  for (const OutputSweepPoint& point : sweep.points) {
    Json entry = startPoint(point.settings, point.failure);
    entry["outputs"] = Json::object();
    for (std::size_t i = 0; point.ok() && i < sweep.outputs.size(); ++i) {
      if (isRun) {
        entry["outputs"][sweep.outputs[i]] = {
            {"last", point.last[i]}, {"least", point.least[i]}, {"largest", point.largest[i]}};
      } else {
        entry["outputs"][sweep.outputs[i]] = point.last[i];
      }
    }
    json["points"].push_back(std::move(entry));
  }
  json["complete"] = sweep.isComplete;
  files::writeTextFile(path, json.dump(2) + "\n");
}

void writeModeSweepCsv(const std::string& path, const ModeSweep& sweep) {
  std::string text =
      startHeader(sweep.axes) + "track,frequency_hz,damping_ratio,re,im,stable,message\n";
  for (const ModeSweepPoint& point : sweep.points) {
    if (!point.ok()) {
      appendSettings(point.settings, text);
      text += ",,,,,," + quoteForCsv(point.failure->message) + "\n";
    }
    for (const TrackedMode& tracked : point.modes) {
      appendSettings(point.settings, text);
      text += std::to_string(tracked.track + 1);
      for (const double number :
           {tracked.mode.frequencyHz(), tracked.mode.dampingRatio() + 0.0,
            tracked.mode.eigenvalue.real() + 0.0, tracked.mode.eigenvalue.imag() + 0.0}) {
        text += ',';
        files::appendNumber(number, text);
      }
      text += tracked.mode.isStable() ? ",1,\n" : ",0,\n";
    }
  }
  files::writeTextFile(path, text);
}

void writeOutputSweepCsv(const std::string& path, const OutputSweep& sweep) {
  const bool isRun = sweep.analysis == OutputAnalysis::kRun;
  std::string text = startHeader(sweep.axes);
  for (const std::string& name : sweep.outputs) {
    text += name + "," + (isRun ? name + ".least," + name + ".largest," : "");
  }
  text += "message\n";
  for (const OutputSweepPoint& point : sweep.points) {
    appendSettings(point.settings, text);
    for (std::size_t i = 0; i < sweep.outputs.size(); ++i) {
      if (point.ok()) files::appendNumber(point.last[i], text);
      text += ',';
      if (!isRun) continue;
      if (point.ok()) files::appendNumber(point.least[i], text);
      text += ',';
      if (point.ok()) files::appendNumber(point.largest[i], text);
      text += ',';
    }
    text += (point.ok() ? "" : quoteForCsv(point.failure->message)) + "\n";
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
