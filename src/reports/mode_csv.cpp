// Modes as CSV: a header, then one row per mode.
#include <cmath>

#include "files/csv_writer.hpp"
#include "files/output_file.hpp"
#include "reports/mode_text.hpp"

namespace flexloop::reports {
namespace {

using analysis::Mode;
using analysis::ModeComparison;

constexpr const char* kNumbers = "frequency_hz,damping_ratio,re,im,residual";

void appendNumbers(const Mode& mode, std::string& text) {
  const double columns[] = {mode.frequencyHz(), mode.dampingRatio() + 0.0,
                            mode.eigenvalue.real() + 0.0, mode.eigenvalue.imag() + 0.0,
                            mode.residual};
  for (std::size_t i = 0; i < std::size(columns); ++i) {
    if (i > 0) text += ',';
    files::appendNumber(columns[i], text);
  }
}

}  // namespace

void writeModesCsv(const std::string& path, const analysis::ModeResult& result) {
  std::string text = std::string(kNumbers) + "\n";
  for (const Mode& mode : result.modes) {
    appendNumbers(mode, text);
    text += '\n';
  }
  files::writeTextFile(path, text);
}

void writeInstantsCsv(const std::string& path, const std::vector<ModesAtTime>& instants) {
  std::string text = std::string("time,mode,") + kNumbers + "\n";
  for (const ModesAtTime& instant : instants) {
    int number = 0;
    for (const Mode& mode : instant.result.modes) {
      files::appendNumber(instant.time, text);
      text += "," + std::to_string(++number) + ",";
      appendNumbers(mode, text);
      text += '\n';
    }
  }
  files::writeTextFile(path, text);
}

void writeComparisonCsv(const std::string& path, const ModeComparison& comparison) {
  std::string text = std::string("row,view,mac,") + kNumbers + "\n";
  int number = 0;
  for (const ModeComparison::Row& row : comparison.rows) {
    ++number;
    for (std::size_t c = 0; c < row.modes.size(); ++c) {
      if (row.modes[c] < 0) continue;
      text += std::to_string(number) + "," + comparison.columns[c].view + ",";
      if (c > 0 && row.modes[0] >= 0) files::appendNumber(row.mac[c], text);
      text += ',';
      appendNumbers(comparison.columns[c].result.modes[row.modes[c]], text);
      text += '\n';
    }
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
