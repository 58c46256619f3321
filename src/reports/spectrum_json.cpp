// The JSON of spectrum_text.hpp.
#include <utility>

#include "base/json.hpp"
#include "files/output_file.hpp"
#include "reports/spectrum_text.hpp"

namespace flexloop::reports {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const std::vector<analysis::SpectrumPeak>& peaks) {
  Json json = Json::array();
  for (const analysis::SpectrumPeak& peak : peaks) {
    json.push_back({{"frequency_hz", peak.frequency}, {"amplitude", peak.amplitude}});
    if (peak.dampingRatio) json.back()["damping_ratio"] = *peak.dampingRatio;
  }
  return json;
}

Json toJson(const std::vector<analysis::DampedMode>& modes) {
  Json json = Json::array();
  for (const analysis::DampedMode& mode : modes) {
    json.push_back({{"frequency_hz", mode.frequency()},
                    {"damping_ratio", mode.dampingRatio()},
                    {"amplitude", mode.amplitude},
                    {"phase", mode.phase},
                    {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}}});
  }
  return json;
}

Json toJson(const analysis::ChannelReport& channel, double samplingRate) {
  Json json;
  json["name"] = channel.name;
  json["sampling_hz"] = samplingRate;
  json["frequency_hz"] = channel.spectrum.frequency;
  json["amplitude"] = channel.spectrum.amplitude;
  json["peaks"] = toJson(channel.spectrum.peaks);
  json["modes"] = toJson(channel.response.modes);
  json["offset"] = channel.response.offset;
  json["drift"] = channel.response.drift;
  json["fit_residual"] = channel.response.residual;
  return json;
}

}  // namespace

void writeSpectrumJson(const std::string& path, const SpectrumSummary& summary) {
  const analysis::RecordReport& report = summary.report;
  Json json;
  json["file"] = summary.file;
  json["from"] = report.from;
  json["to"] = report.to;
  json["samples"] = report.samples;
  json["resampled"] = report.isResampled;
  json["window"] = summary.settings.window;
  if (summary.settings.timeConstant > 0.0) json["tau"] = summary.settings.timeConstant;
  json["channels"] = Json::array();
  for (const analysis::ChannelReport& channel : report.channels) {
    json["channels"].push_back(toJson(channel, report.samplingRate));
  }
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
