#include "reports/check_text.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

constexpr std::size_t kWidth = 90;      // of a list of names
constexpr std::size_t kMostGroups = 5;  // of redundant constraints that are listed

std::string listNames(const std::vector<std::string>& names, const char* between = " ") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text.size() + names[i].size() > kWidth) {
      return text + base::formatText(" ... (%zu more)", names.size() - i);
    }
    text += (i > 0 ? between : "") + names[i];
  }
  return text;
}

const char* describeMobility(const analysis::CheckReport& report) {
  if (report.mobility() > 0 || report.freedoms == 0) return "";
  return report.hasDrives ? ": drives prescribe every motion" : ": the mechanism cannot move";
}

template <class Add>
void addConstraints(const analysis::CheckReport& report, const Add& add) {
  const int redundant = report.constraints - report.independentConstraints;
  add("constraints", redundant == 0 ? base::formatText("%d", report.constraints)
                                    : base::formatText("%d, of which %d are redundant",
                                                       report.constraints, redundant));
  const std::size_t shown = std::min(report.redundantGroups.size(), kMostGroups);
  for (std::size_t i = 0; i < shown; ++i) {
    add("redundant", listNames(report.redundantGroups[i], ", "));
  }
  if (shown < report.redundantGroups.size()) {
    add("", base::formatText("... (%zu more)", report.redundantGroups.size() - shown));
  }
  add("mobility", base::formatText("%d", report.mobility()) + describeMobility(report));
}

nlohmann::ordered_json makeFinding(const char* severity, const base::Diagnostic& finding) {
  nlohmann::ordered_json json;
  json["severity"] = severity;
  json["file"] = finding.place.file != nullptr ? *finding.place.file : "";
  json["line"] = finding.place.line;
  json["message"] = finding.message;
  json["hint"] = finding.hint;
  return json;
}

}  // namespace

std::vector<std::string> describeCheck(const model::Model& model,
                                       const analysis::CheckReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what, const std::string& text) {
    lines.push_back(base::formatText("  %-12s %s", what.c_str(), text.c_str()));
  };
  lines.push_back(model.description().title.empty() ? model.description().file
                                                    : model.description().title);
  for (const auto& [section, names] : report.items) {
    add(section, base::formatText("%4zu  ", names.size()) + listNames(names));
  }
  lines.emplace_back();
  add("mass", base::formatText("%.6g kg", report.mass.mass));
  if (report.mass.mass > 0.0) {
    const auto& c = report.mass.centre;
    add("centre", base::formatText("(%.6g, %.6g, %.6g) m", c[0], c[1], c[2]));
  }
  add("freedoms", base::formatText("%d (nodes: %d)", report.freedoms, report.nodes));
  addConstraints(report, add);
  if (report.states > 0) add("states", base::formatText("%d", report.states));
  if (report.signals > 0) add("signals", base::formatText("%d", report.signals));
  add("outputs",
      base::formatText("%4d  ", model.outputs().size()) + listNames(model.outputs().names()));
  if (!report.boxes.empty()) {
    add("not checked", listNames(report.boxes) +
                           ": external code is not run here; 'flexloop run' shows whether it loads "
                           "and what it returns");
  }
  return lines;
}

void writeCheckJson(const std::string& path, const analysis::CheckReport& report) {
  nlohmann::ordered_json json;
  for (const auto& [section, names] : report.items) json["items"][section] = names;
  for (const auto& [type, count] : report.elements) json["elements"][type] = count;
  json["nodes"] = report.nodes;
  json["mass"] = report.mass.mass;
  const auto& c = report.mass.centre;
  json["centre_of_mass"] = {c[0], c[1], c[2]};
  json["freedoms"] = report.freedoms;
  json["constraints"] = report.constraints;
  json["redundant_constraints"] = report.constraints - report.independentConstraints;
  json["redundant_groups"] = report.redundantGroups;
  json["mobility"] = report.mobility();
  json["states"] = report.states;
  json["signals"] = report.signals;
  if (!report.boxes.empty()) json["not_checked"] = report.boxes;
  json["findings"] = nlohmann::ordered_json::array();
  for (const base::Diagnostic& warning : report.findings.warnings()) {
    json["findings"].push_back(makeFinding("warning", warning));
  }
  for (const base::Diagnostic& error : report.findings.errors()) {
    json["findings"].push_back(makeFinding("error", error));
  }
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
