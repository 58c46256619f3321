#include "reports/tuning_text.hpp"

#include <cmath>
#include <numbers>

#include "base/json.hpp"
#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTurn = 2.0 * std::numbers::pi;

std::string describeGoal(const TuningReport& report, const TunedGoal& goal) {
  if (!goal.isStable) return "UNSTABLE";
  if (report.goal == "margin") return base::formatText("disk margin %.4g", goal.value);
  const char* form = report.goal == "damping" ? "least damping ratio %.4g" : "settles in %.4g s";
  return base::formatText(form, goal.value) +
         base::formatText(" (root at %.4g Hz)", std::abs(goal.root.imag()) / kTurn);
}

// As words of the command line.
std::string makeWords(const TunedParameter& p) {
  const bool isPath = p.name.find('.') != std::string::npos;
  return (isPath ? "--set " : "-p ") + p.name + "=" + base::numberText(p.after);
}

}  // namespace

std::vector<std::string> describeTuning(const TuningReport& report) {
  std::vector<std::string> lines{"tuned for " + report.goal + ": " +
                                 std::to_string(report.evaluations) + " models"};
  lines.push_back("  before: " + describeGoal(report, report.before));
  lines.push_back("  after:  " + describeGoal(report, report.after));
  for (const TunedParameter& p : report.parameters) {
    lines.push_back(
        base::formatText("  %-24s %12.6g -> %-12.6g", p.name.c_str(), p.before, p.after));
  }
  std::string words = "  use:";
  for (const TunedParameter& p : report.parameters) words += " " + makeWords(p);
  lines.push_back(words);
  return lines;
}

std::string makeTuningJson(const TuningReport& report) {
  const auto toJson = [&](const TunedGoal& goal) {
    Json json{{"stable", goal.isStable}};
    json["value"] = goal.isStable && std::isfinite(goal.value) ? Json(goal.value) : Json(nullptr);
    if (report.goal != "margin") json["root"] = {goal.root.real(), goal.root.imag()};
    return json;
  };
  Json json{{"goal", report.goal},
            {"before", toJson(report.before)},
            {"after", toJson(report.after)},
            {"evaluations", report.evaluations}};
  json["parameters"] = Json::array();
  json["options"] = Json::array();
  for (const TunedParameter& p : report.parameters) {
    json["parameters"].push_back(
        {{"name", p.name}, {"before", p.before}, {"after", p.after}, {"at_bound", p.isAtBound}});
    json["options"].push_back(makeWords(p));
  }
  json["roots"] = Json::array();
  for (const std::complex<double>& root : report.roots) {
    json["roots"].push_back({root.real(), root.imag()});
  }
  return json.dump() + "\n";
}

}  // namespace flexloop::reports
