#include "reports/spectrum_text.hpp"

#include <cmath>

#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using analysis::ChannelReport;
using analysis::DampedMode;
using analysis::FreeResponse;

// Of the record: with more left over, modes tell little about it.
constexpr double kPoorFit = 0.1;

std::string describeFit(const FreeResponse& response) {
  std::string text = base::formatText("offset %.6g", response.offset);
  if (response.drift != 0.0) text += base::formatText(", drift %.6g per s", response.drift);
  text += base::formatText(", residual of the fit %.2g", response.residual);
  if (response.residual > kPoorFit) text += " (not a free response, or too short a part of one)";
  return text;
}

std::string describeMode(const DampedMode& mode) {
  const std::string sign = mode.eigenvalue.imag() > 0.0 ? " ± " : "";
  const std::string imag = sign.empty() ? "" : base::formatText("%.6gi", mode.eigenvalue.imag());
  return base::formatText("    mode %16.9g %16.6g %14.6g   %.6g%s%s", mode.frequency(),
                          mode.dampingRatio(), mode.amplitude, mode.eigenvalue.real(), sign.c_str(),
                          imag.c_str());
}

std::string describeWindow(const analysis::SpectrumSettings& settings) {
  if (settings.window != analysis::kExponentialWindow) return settings.window;
  return settings.window + base::formatText(" with tau %.6g s", settings.timeConstant);
}

void describeChannel(const ChannelReport& channel, std::vector<std::string>& lines) {
  lines.emplace_back();
  lines.push_back("  " + channel.name + ": " + describeFit(channel.response));
  if (channel.response.modes.empty() && channel.spectrum.peaks.empty()) return;
  lines.push_back(base::formatText("         %16s %16s %14s   %s", "frequency [Hz]",
                                   "damping ratio", "amplitude", "eigenvalue [1/s]"));
  for (const DampedMode& mode : channel.response.modes) lines.push_back(describeMode(mode));
  for (const analysis::SpectrumPeak& peak : channel.spectrum.peaks) {
    const std::string damping =
        peak.dampingRatio ? base::formatText("%.6g", *peak.dampingRatio) : std::string();
    lines.push_back(base::formatText("    peak %16.9g %16s %14.6g", peak.frequency, damping.c_str(),
                                     peak.amplitude));
  }
}

}  // namespace

std::vector<std::string> describeSpectrum(const SpectrumSummary& summary) {
  const analysis::RecordReport& report = summary.report;
  const double bin =
      report.samplingRate / (static_cast<double>(report.samples) * summary.settings.padding);
  std::vector<std::string> lines{
      "Spectrum of " + summary.file,
      base::formatText("  record    %.9g s to %.9g s, samples: %zu at %.9g Hz%s", report.from,
                       report.to, report.samples, report.samplingRate,
                       report.isResampled ? " (interpolated: the steps were not uniform)" : ""),
      base::formatText("  spectrum  window %s, bins of %.6g Hz up to %.6g Hz",
                       describeWindow(summary.settings).c_str(), bin, 0.5 * report.samplingRate)};
  for (const ChannelReport& channel : report.channels) describeChannel(channel, lines);
  return lines;
}

void writeSpectrumCsv(const std::string& path, const SpectrumSummary& summary) {
  const std::vector<ChannelReport>& channels = summary.report.channels;
  std::string text = "frequency_hz";
  for (const ChannelReport& channel : channels) text += "," + channel.name;
  text += '\n';
  const std::vector<double>& frequency = channels.front().spectrum.frequency;
  for (std::size_t k = 0; k < frequency.size(); ++k) {
    files::appendNumber(frequency[k], text);
    for (const ChannelReport& channel : channels) {
      text += ',';
      files::appendNumber(channel.spectrum.amplitude[k], text);
    }
    text += '\n';
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
