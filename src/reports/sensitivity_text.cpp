#include "reports/sensitivity_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

using Complex = std::complex<double>;
using study::ModeSensitivity;
using study::Sensitivity;

std::string describeEntry(const ModeSensitivity& mode, const Sensitivity& entry, int width) {
  const Complex change = study::calcChangePerPercent(entry);
  return base::formatText("       %-*s  %12.6g  %14.6g  %14.6g  %14.6g  %14.6g", width,
                          entry.name.c_str(), entry.value,
                          study::calcFrequencyChange(mode.eigenvalue, change) + 0.0,
                          study::calcDampingChange(mode.eigenvalue, change) + 0.0,
                          change.real() + 0.0, change.imag() + 0.0);
}

}  // namespace

std::vector<std::string> describeSensitivities(const study::SensitivityResult& result, int most) {
  std::size_t width = 9;
  for (const ModeSensitivity& mode : result.modes) {
    for (const Sensitivity& entry : mode.entries) width = std::max(width, entry.name.size());
  }
  std::vector<std::string> lines{"changes per 1 % of a parameter:"};
  lines.push_back(base::formatText(
      "  mode %-*s         value  frequency [Hz]   damping ratio        re [1/s]      im [rad/s]",
      static_cast<int>(width), "parameter"));
  int number = 0;
  for (const ModeSensitivity& mode : result.modes) {
    const Complex s = mode.eigenvalue;
    const bool isReal = s.imag() == 0.0 && s.real() != 0.0;
    lines.push_back(base::formatText(
        "  %3d  %.7g %s%s%s", ++number,
        isReal ? s.real() : std::abs(s.imag()) / (2.0 * std::numbers::pi), isReal ? "1/s" : "Hz",
        mode.obstacle.empty() ? "" : ": no derivative: ", mode.obstacle.c_str()));
    int told = 0;
    for (const Sensitivity& entry : mode.entries) {
      if (told++ == most || entry.derivative == 0.0) break;
      lines.push_back(describeEntry(mode, entry, static_cast<int>(width)));
    }
  }
  for (const study::SkippedParameter& skipped : result.skipped) {
    lines.push_back("  skipped " + skipped.name + ": " + skipped.reason);
  }
  return lines;
}

}  // namespace flexloop::reports
