#include "results/run_summary.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "results/run_recorder.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeReport;

std::string describeEnergy(const analysis::EnergyReport& energy) {
  std::string text =
      base::formatText("%.6g J at the start, %.6g J at the end", energy.start, energy.end);
  if (energy.isConservative) {
    text += "; numerical dissipation " + analysis::formatShare(energy.dissipatedShare);
  }
  return text;
}

std::string describeSteps(const TimeReport& report) {
  const auto number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::string text =
      base::formatText("%lld (iterations: %lld, factorisations: %lld)", number(report.steps),
                       number(report.iterations), number(report.factorizations));
  if (report.failedSteps > 0) {
    text += base::formatText("; repeated with half the step: %lld", number(report.failedSteps));
  }
  if (report.rejectedSteps > 0) {
    text += base::formatText("; rejected by the error control: %lld", number(report.rejectedSteps));
  }
  return text;
}

std::string describeEvents(const TimeReport& report) {
  const auto number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::string text = base::formatText("%lld located", number(report.events));
  if (report.chatteringSteps > 0) {
    text += base::formatText(
        "; from t = %.6g s on, too many events to locate in %lld steps, in which blocks switch "
        "only at the ends of steps (hysteresis or a smaller step helps)",
        report.firstChatter, number(report.chatteringSteps));
  }
  return text;
}

nlohmann::ordered_json tellGrowth(const analysis::GrowthReport& report) {
  nlohmann::ordered_json json;
  json["since"] = report.growth.since;
  json["rate"] = report.growth.rate;
  json["doubling_time"] = report.growth.doublingTime();
  json["doublings"] = report.growth.doublings;
  json["linearized_at"] = report.linearizedAt;
  if (report.hasMode) {
    json["mode"] = {{"name", report.mode},
                    {"rate", report.modeRate},
                    {"frequency_hz", report.modeHz},
                    {"explains", report.isExplained}};
  }
  json["freedoms"] = report.freedoms;
  json["parts"] = report.parts;
  json["blocks"] = report.blocks;
  json["text"] = report.text;
  json["hint"] = report.hint;
  return json;
}

nlohmann::ordered_json tellHealth(const analysis::RunHealth& health) {
  nlohmann::ordered_json json;
  json["constraint_drift"] = health.drift;
  if (!health.driftWhere.empty()) json["constraint_drift_at"] = health.driftWhere;
  if (health.energyError) json["energy_error"] = *health.energyError;
  if (health.dissipation) json["dissipated_share"] = *health.dissipation;
  json["contraction"] = health.contraction;
  json["contraction_at"] = health.contractionTime;
  if (health.resolution) {
    json["resolution"] = *health.resolution;
    json["resolution_from"] = health.resolutionTime;
    json["mean_step"] = health.resolvedStep;
  }
  if (health.ringing) json["ringing"] = *health.ringing;
  json["halved_steps"] = health.halvedSteps;
  json["rejected_steps"] = health.rejectedSteps;
  json["coarse_steps"] = health.coarseSteps;
  if (health.growth) json["growth"] = tellGrowth(*health.growth);
  return json;
}

}  // namespace

ResultEnd describeEnd(const TimeReport& report) {
  ResultEnd end{.verdict = report.health.verdict(),
                .health = {},
                .message = report.stopped ? "" : messageOf(report.failure)};
  for (const std::string& line : report.health.lines()) {
    end.health += (end.health.empty() ? "" : "\n") + line;
  }
  return end;
}

std::vector<std::string> describeRun(const RunSummary& summary) {
  const TimeReport& report = summary.report;
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const std::string& text) {
    lines.push_back(base::formatText("  %-11s %s", what, text.c_str()));
  };
  lines.push_back(summary.title.empty() ? "simulation" : summary.title);
  for (const std::string& change : describeStart(report.start)) add("start", change);
  add("time", base::formatText("%.9g s in %s (%.3g x real time)", report.time,
                               base::formatDuration(summary.wallTime).c_str(),
                               report.time / std::max(summary.wallTime, 1e-9)));
  add("steps", describeSteps(report));
  if (report.events > 0) add("events", describeEvents(report));
  add("energy", describeEnergy(report.energy));
  std::string accuracy;
  for (const std::string& line : report.health.lines()) {
    accuracy += (accuracy.empty() ? "" : "; ") + line;
  }
  if (!accuracy.empty()) add("accuracy", accuracy);
  add("recorded",
      base::formatText("outputs: %zu, times: %zu", summary.outputs.size(), summary.records));
  if (!summary.resultFile.empty()) add("results", summary.resultFile);
  return lines;
}

base::Failure describeFailure(const RunSummary& summary) {
  const std::string where =
      summary.resultFile.empty() ? "" : "; the results so far are in " + summary.resultFile;
  base::Failure failure = *summary.report.failure;
  if (summary.report.stopped) {
    failure.message = base::formatText("stopped at t = %.9g s", summary.report.time) + where;
  } else if (summary.records > 0) {
    if (failure.hint.empty()) failure.hint = "try a smaller step or a smaller rho";
    failure.hint += where;
    if (!summary.failedStepFile.empty())
      failure.hint += "; the last iterate of the failed step is in " + summary.failedStepFile;
  }
  return failure;
}

void writeRunJson(const std::string& path, const RunSummary& summary) {
  const TimeReport& report = summary.report;
  nlohmann::ordered_json json;
  json["title"] = summary.title;
  json["complete"] = report.ok();
  if (report.failure) json["message"] = report.failure->message;
  json["warnings"] = report.notes;
  json["time"] = report.time;
  json["steps"] = report.steps;
  json["failed_steps"] = report.failedSteps;
  json["rejected_steps"] = report.rejectedSteps;
  json["events"] = report.events;
  json["chattering_steps"] = report.chatteringSteps;
  json["iterations"] = report.iterations;
  json["factorizations"] = report.factorizations;
  json["start"] = {{"position_change", report.start.positionChange},
                   {"velocity_change", report.start.velocityChange}};
  json["energy_start"] = report.energy.start;
  json["energy_end"] = report.energy.end;
  if (report.energy.isConservative) json["dissipated_share"] = report.energy.dissipatedShare;
  json["trusted"] = report.ok() && report.health.isTrusted();
  json["verdict"] = report.health.verdict();
  json["doubts"] = report.health.doubts;
  json["health"] = tellHealth(report.health);
  json["records"] = summary.records;
  nlohmann::ordered_json outputs = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < summary.lastValues.size(); ++i) {
    outputs[summary.outputs[i]] = summary.lastValues[i];
  }
  json["outputs"] = outputs;
  json["result_file"] = summary.resultFile;
  if (!summary.failedStepFile.empty()) json["failed_step_file"] = summary.failedStepFile;
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::results
