#include "reports/equilibrium_text.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"
#include "mechanics/parts/part_layout.hpp"

namespace flexloop::reports {

using analysis::EquilibriumResult;
using solve::Stability;

namespace {

const char* nameStability(Stability stability) {
  switch (stability) {
    case Stability::kStable:
      return ", stable";
    case Stability::kUnstable:
      return ", unstable";
    case Stability::kUnknown:
      break;
  }
  return "";
}

std::string describeLimits(const std::vector<double>& limits) {
  std::string text =
      base::formatText("  beyond %d limit point%s, at ", static_cast<int>(limits.size()),
                       limits.size() > 1 ? "s" : "");
  for (std::size_t i = 0; i < limits.size(); ++i) {
    text += base::formatText("%s%.4g %%", i > 0 ? ", " : "", 100.0 * limits[i]);
  }
  return text + " of the loads: the machine snaps through";
}

std::string describeStress(const mechanics::LargestStress& largest) {
  std::string text = base::formatText(
      "  parts.%s: largest von Mises stress %.6g Pa, on its surface at [%.4g, %.4g, %.4g] m from "
      "its first interface",
      largest.part.c_str(), largest.vonMises, largest.at[0], largest.at[1], largest.at[2]);
  if (largest.points < largest.allPoints) {
    text += base::formatText(" (of %d points of %d)", largest.points, largest.allPoints);
  }
  return text;
}

}  // namespace

std::vector<std::string> describeEquilibrium(const model::Model& model,
                                             const EquilibriumResult& result) {
  const std::vector<std::string>& names = model.outputs().names();
  const std::vector<std::string>& units = model.outputs().units();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  const std::string& title = model.description().title;
  std::vector<std::string> lines{base::formatText(
      "%s: %s%s (iterations: %d)", (title.empty() ? model.description().file : title).c_str(),
      result.isSteady ? "steady motion" : "equilibrium",
      result.isSteady ? "" : nameStability(result.report.stability), result.report.iterations)};
  if (!result.report.limits.empty()) lines.push_back(describeLimits(result.report.limits));
  if (result.report.lostShare >= 0.0) {
    lines.push_back(base::formatText(
        "  the path of growing loads could be followed only to %.4g %% of the loads; this is where "
        "the machine comes to rest from its initial state with friction",
        100.0 * result.report.lostShare));
  }
  if (result.report.hasLeft) {
    lines.push_back(
        "  the equilibrium reached by growing loads is unstable; this is where the machine moves "
        "from there after a small push");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    lines.push_back(base::formatText("  %-*s  %16.9g %s", static_cast<int>(width), names[i].c_str(),
                                     result.outputs[i], units[i].c_str()));
  }
  for (const auto& largest : mechanics::findLargestStresses(model.system(), result.state)) {
    lines.push_back(describeStress(largest));
  }
  return lines;
}

void writeEquilibriumCsv(const std::string& path, const std::vector<std::string>& names,
                         const EquilibriumResult& result) {
  std::string text = "output,value\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += names[i] + ",";
    files::appendNumber(result.outputs[i], text);
    text += '\n';
  }
  files::writeTextFile(path, text);
}

void writeEquilibriumJson(const std::string& path, const model::Model& model,
                          const EquilibriumResult& result) {
  const std::vector<std::string>& names = model.outputs().names();
  nlohmann::ordered_json json;
  json["outputs"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < names.size(); ++i) json["outputs"][names[i]] = result.outputs[i];
  json["iterations"] = result.report.iterations;
  json["stable"] = nullptr;
  if (result.report.stability != Stability::kUnknown) {
    json["stable"] = result.report.stability == Stability::kStable;
  }
  json["limit_points"] = result.report.limits;
  if (result.report.lostShare >= 0.0) json["path_lost_at"] = result.report.lostShare;
  for (const auto& largest : mechanics::findLargestStresses(model.system(), result.state)) {
    json["parts"][largest.part] = {{"von_mises", largest.vonMises},
                                   {"at", {largest.at[0], largest.at[1], largest.at[2]}}};
  }
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
