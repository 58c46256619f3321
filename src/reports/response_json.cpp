// The JSON of response_text.hpp.
#include <cmath>

#include "base/json.hpp"
#include "files/output_file.hpp"
#include "reports/response_text.hpp"

namespace flexloop::reports {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity.
Json toJson(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json toJson(const analysis::GainMargin& margin) {
  return {{"frequency_hz", margin.frequencyHz},
          {"factor", margin.factor},
          {"db", 20.0 * std::log10(margin.factor)}};
}

Json toJson(const analysis::PhaseMargin& margin) {
  return {
      {"frequency_hz", margin.frequencyHz}, {"degrees", margin.degrees}, {"delay", margin.delay}};
}

Json toJson(const analysis::DiskMargin& disk) {
  return {{"alpha", disk.alpha},
          {"frequency_hz", disk.frequencyHz},
          {"gain", Json::array({disk.lowestGain, toJson(disk.highestGain)})},
          {"degrees", disk.degrees}};
}

// The smallest margins first, as most readers want them; then where L crosses the real axis and the unit circle. A loop
// that is unstable when closed has crossings, but no margins.
Json marginsOf(const analysis::ReturnRatio& loop) {
  const analysis::LoopMargins& margins = loop.margins;
  const bool isUnstable = loop.closedUnstable && !loop.isStable();
  const auto marginOf = [&](const auto& margin) {
    return margin && !isUnstable ? toJson(*margin) : Json(nullptr);
  };
  Json json;
  json["convention"] = "L = -(signal as computed)/(signal as read)";
  json["gain_margin"] = marginOf(margins.smallestGain());
  json["phase_margin"] = marginOf(margins.smallestPhase());
  json["delay_margin"] = marginOf(margins.smallestDelay());
  json["disk_margin"] = marginOf(&margins.disk);
  json["highest_sensitivity"] = toJson(margins.highestSensitivity);
  json["gain_margins"] = Json::array();
  for (const auto& margin : margins.gains) json["gain_margins"].push_back(toJson(margin));
  json["phase_margins"] = Json::array();
  for (const auto& margin : margins.phases) json["phase_margins"].push_back(toJson(margin));
  json["searched_hz"] = Json::array({loop.lowHz, loop.highHz});
  const bool isKnown = loop.closedUnstable && (isUnstable || loop.isComplete);
  json["stable"] = isKnown ? Json(!isUnstable) : Json(nullptr);
  if (loop.closedUnstable) {
    json["unstable_poles"] = {{"closed", *loop.closedUnstable}, {"cut", *loop.openUnstable}};
    json["clockwise_encirclements"] = *loop.closedUnstable - *loop.openUnstable;
    json["all_poles_counted"] = loop.isComplete;
  }
  if (loop.samplePeriod) json["sample_period"] = *loop.samplePeriod;
  if (!loop.note.empty()) json["note"] = loop.note;
  return json;
}

}  // namespace

std::string makeResponseJson(const ResponseReport& report) {
  Json json;
  json["frequency_hz"] = report.response.frequencyHz;
  json["responses"] = Json::array();
  for (Eigen::Index k = 0; k < std::ssize(report.names.inputs); ++k) {
    for (Eigen::Index i = 0; i < std::ssize(report.names.outputs); ++i) {
      Json re = Json::array(), im = Json::array();
      for (const Eigen::MatrixXcd& H : report.response.H) {
        re.push_back(H(i, k).real() + 0.0);
        im.push_back(H(i, k).imag() + 0.0);
      }
      json["responses"].push_back({{"input", report.names.inputs[k]},
                                   {"output", report.names.outputs[i]},
                                   {"re", std::move(re)},
                                   {"im", std::move(im)}});
    }
  }
  if (!report.names.cut.empty()) json["cut"] = report.names.cut;
  if (report.loop) json["margins"] = marginsOf(*report.loop);
  json["time"] = report.time;
  if (!report.about.empty()) json["about"] = report.about;
  return json.dump(2) + "\n";
}

void writeResponseJson(const std::string& path, const ResponseReport& report) {
  files::writeTextFile(path, makeResponseJson(report));
}

}  // namespace flexloop::reports
