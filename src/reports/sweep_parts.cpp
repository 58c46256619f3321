#include "reports/sweep_parts.hpp"

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"

namespace flexloop::reports {

using Json = nlohmann::ordered_json;
using study::Settings;

std::string settingsText(const Settings& settings) {
  std::string text;
  for (const study::Setting& setting : settings) {
    text += base::formatText("%s%s = %.6g", text.empty() ? "" : ", ", setting.name.c_str(),
                             setting.value);
  }
  return text;
}

std::string stopText(std::size_t done) {
  return base::formatText("stopped after %d points", static_cast<int>(done));
}

Json makeAxesJson(const std::vector<study::SweepAxis>& axes) {
  Json json = Json::array();
  for (const study::SweepAxis& axis : axes) {
    json.push_back({{"name", axis.name}, {"values", axis.values}});
  }
  return json;
}

Json startPoint(const Settings& settings, const std::optional<base::Failure>& failure) {
  Json json;
  json["parameters"] = Json::object();
  for (const study::Setting& setting : settings) {
    json["parameters"][setting.name] = setting.value;
  }
  json["ok"] = !failure;
  if (failure) json["message"] = failure->message;
  return json;
}

std::string startHeader(const std::vector<study::SweepAxis>& axes) {
  std::string text;
  for (const study::SweepAxis& axis : axes) text += axis.name + ",";
  return text;
}

void appendSettings(const Settings& settings, std::string& text) {
  for (const study::Setting& setting : settings) {
    files::appendNumber(setting.value, text);
    text += ',';
  }
}

std::string quoteForCsv(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

}  // namespace flexloop::reports
