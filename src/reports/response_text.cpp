#include "reports/response_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"
#include "reports/operating_point_text.hpp"

namespace flexloop::reports {
namespace {

using analysis::GainMargin;
using analysis::LoopMargins;
using analysis::PhaseMargin;
using analysis::ReturnRatio;
using Complex = std::complex<double>;

constexpr std::size_t kMostRows = 25;  // of a table that people read

double toDegrees(double radians) {
  return radians * 180.0 / std::numbers::pi;
}

std::string describeValue(double frequency, Complex H) {
  return base::formatText("  %14.7g  %14.7g  %10.3f", frequency, std::abs(H),
                          toDegrees(std::arg(H)));
}

// A table where it is short, the highest value and the ends otherwise.
void describePair(const ResponseReport& report, Eigen::Index output, Eigen::Index input,
                  std::vector<std::string>& lines) {
  const std::vector<double>& frequency = report.response.frequencyHz;
  const auto& H = report.response.H;
  const std::string pair =
      "  from " + report.names.inputs[input] + " to " + report.names.outputs[output];
  if (std::all_of(H.begin(), H.end(), [&](const auto& h) { return h(output, input) == 0.0; })) {
    lines.push_back(pair + ": the response is zero");
    return;
  }
  lines.push_back(pair);
  lines.emplace_back("  frequency [Hz]       magnitude  phase [deg]");
  std::size_t peak = 0;
  for (std::size_t i = 0; i < H.size(); ++i) {
    if (std::abs(H[i](output, input)) > std::abs(H[peak](output, input))) peak = i;
  }
  for (std::size_t i = 0; i < H.size(); ++i) {
    const bool isShown = H.size() <= kMostRows || i == 0 || i == peak || i + 1 == H.size();
    if (!isShown) continue;
    const bool isPeak = H.size() > kMostRows && i == peak;
    lines.push_back(describeValue(frequency[i], H[i](output, input)) +
                    (isPeak ? "  the largest" : ""));
  }
}

std::string describeStability(const ReturnRatio& loop) {
  if (!loop.closedUnstable) {
    return "  the stability of the closed loop is unknown: the poles of its exact delays could not "
           "be counted";
  }
  const int open = *loop.openUnstable, closed = *loop.closedUnstable;
  if (closed == 0 && !loop.isComplete) {
    return base::formatText(
        "  no pole of the closed loop is unstable up to %.4g Hz, nor near some higher frequencies; "
        "'flexloop modes --near HZ' finds others",
        loop.searchedHz);
  }
  std::string text = closed == 0 ? "  the closed loop is stable" : "  the closed loop is UNSTABLE";
  text += base::formatText(
      ": %d unstable poles when it is closed, %d when it is cut; L encircles -1 clockwise %d times",
      closed, open, closed - open);
  if (!loop.isComplete)
    text += base::formatText(" (of those up to %.4g Hz and some beyond)", loop.searchedHz);
  return text;
}

void describeSampling(const ReturnRatio& loop, std::vector<std::string>& lines) {
  if (!loop.samplePeriod) return;
  lines.push_back(base::formatText(
      "  sampled loop: all clocks repeat after %g s; the Nyquist frequency is %g Hz",
      *loop.samplePeriod, 0.5 / *loop.samplePeriod));
  if (!loop.note.empty()) lines.push_back("  " + loop.note);
}

void describeCrossings(const LoopMargins& margins, std::vector<std::string>& lines) {
  for (const GainMargin& margin : margins.gains) {
    lines.push_back(base::formatText("  gain margin     %12.6g  (%.3f dB) at %.7g Hz",
                                     margin.factor, 20.0 * std::log10(margin.factor),
                                     margin.frequencyHz));
  }
  if (margins.gains.empty()) lines.emplace_back("  gain margin     infinite: L is never negative");
  for (const PhaseMargin& margin : margins.phases) {
    lines.push_back(base::formatText("  phase margin    %12.6g deg at %.7g Hz; delay margin %.6g s",
                                     margin.degrees, margin.frequencyHz, margin.delay));
  }
  if (margins.phases.empty()) lines.emplace_back("  phase margin    infinite: |L| is never 1");
}

// Where a loop that is unstable when closed is near −1 or of size one; these are not margins of anything.
void describeUnstable(const LoopMargins& margins, std::vector<std::string>& lines) {
  lines.emplace_back("  there are no margins; L crosses the real axis and the unit circle at");
  for (const GainMargin& margin : margins.gains) {
    lines.push_back(
        base::formatText("    L = %-12.6g at %.7g Hz", -1.0 / margin.factor, margin.frequencyHz));
  }
  for (const PhaseMargin& margin : margins.phases) {
    lines.push_back(base::formatText("    |L| = 1, phase %.6g deg from -1 at %.7g Hz",
                                     margin.degrees, margin.frequencyHz));
  }
}

}  // namespace

std::vector<std::string> describeResponse(const ResponseReport& report) {
  std::vector<std::string> lines{report.title + ": frequency response " +
                                 describePoint(report.about, report.time)};
  if (!report.names.cut.empty()) lines.push_back("  the loop is cut at " + report.names.cut);
  for (Eigen::Index k = 0; k < std::ssize(report.names.inputs); ++k) {
    for (Eigen::Index i = 0; i < std::ssize(report.names.outputs); ++i) {
      describePair(report, i, k, lines);
    }
  }
  return lines;
}

std::vector<std::string> describeMargins(const ResponseReport& report) {
  std::vector<std::string> lines;
  if (!report.loop) return lines;
  const LoopMargins& margins = report.loop->margins;
  if (report.loop->closedUnstable.value_or(0) > 0) {
    describeSampling(*report.loop, lines);
    lines.push_back(describeStability(*report.loop));
    describeUnstable(margins, lines);
    return lines;
  }
  describeSampling(*report.loop, lines);
  lines.push_back(
      base::formatText("  margins of L = -(computed)/(read), searched from %.4g to %.4g Hz",
                       report.loop->lowHz, report.loop->highHz));
  describeCrossings(margins, lines);
  lines.push_back(
      base::formatText("  disk margin     %12.6g at %.7g Hz: gain %.4g to %.4g and phase +-%.4g "
                       "deg at the same time",
                       margins.disk.alpha, margins.disk.frequencyHz, margins.disk.lowestGain,
                       margins.disk.highestGain, margins.disk.degrees));
  lines.push_back(base::formatText("  sensitivity     %12.6g at most", margins.highestSensitivity));
  lines.push_back(describeStability(*report.loop));
  return lines;
}

std::string makeResponseColumns(const analysis::PortNames& names) {
  std::string text;
  for (const std::string& input : names.inputs) {
    for (const std::string& output : names.outputs) {
      const std::string pair = "(" + output + "/" + input + ")";
      text.append(",re").append(pair).append(",im").append(pair);
    }
  }
  return text;
}

void appendResponse(double frequencyHz, const Eigen::MatrixXcd& H, std::string& text) {
  files::appendNumber(frequencyHz, text);
  for (const Complex& value : H.reshaped()) {
    text += ',';
    files::appendNumber(value.real() + 0.0, text);
    text += ',';
    files::appendNumber(value.imag() + 0.0, text);
  }
}

void writeResponseCsv(const std::string& path, const ResponseReport& report) {
  std::string text = "frequency_hz" + makeResponseColumns(report.names) + "\n";
  for (std::size_t f = 0; f < report.response.H.size(); ++f) {
    appendResponse(report.response.frequencyHz[f], report.response.H[f], text);
    text += '\n';
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
