#include "reports/schedule_text.hpp"

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "reports/lpv_text.hpp"

namespace flexloop::reports {

using Json = nlohmann::ordered_json;

std::vector<std::string> describeSchedule(const ScheduleReport& report) {
  std::vector<std::string> lines = describeLpv(report.model);
  if (report.loops.empty()) return lines;
  lines.emplace_back(
      "  closed loop with all states of the machine, o where a controller was designed:");
  for (const SchedulePoint& point : report.loops) {
    std::string line = base::formatText("    %c", point.isPoint ? 'o' : ' ');
    for (std::size_t d = 0; d < point.at.size(); ++d) {
      line += base::formatText(" %s = %-10.6g", report.model.axes[d].name.c_str(), point.at[d]);
    }
    line += point.isStable
                ? base::formatText("  stable, least damping %8.5f at %.5g Hz, disk margin %.3g",
                                   point.damping, point.hz, point.disk)
                : base::formatText("  UNSTABLE, damping %8.5f at %.5g Hz", point.damping, point.hz);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string makeScheduleJson(const ScheduleReport& report) {
  Json json;
  const auto& axes = report.model.axes;
  const bool isLine = axes.size() == 1;
  if (isLine) {
    json["parameter"] = axes[0].name;
    json["points"] = axes[0].points;
  } else {
    for (const control::LpvAxis& axis : axes) {
      json["parameter"].push_back(axis.name);
      json["points"].push_back(axis.points);
    }
  }
  json["states"] = report.model.layout.states();
  json["inputs"] = report.model.inputs;
  json["outputs"] = report.model.outputs;
  if (report.model.error >= 0.0) json["error"] = report.model.error;
  json["loops"] = Json::array();
  for (const SchedulePoint& point : report.loops) {
    json["loops"].push_back({{"value", isLine ? Json(point.at[0]) : Json(point.at)},
                             {"point", point.isPoint},
                             {"stable", point.isStable},
                             {"least_damping", point.damping},
                             {"frequency_hz", point.hz},
                             {"disk_margin", point.disk}});
  }
  json["block"] = report.block;
  return json.dump() + "\n";
}

}  // namespace flexloop::reports
