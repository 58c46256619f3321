#include "reports/identify_text.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using analysis::GainPair;
using analysis::Identification;
using Json = nlohmann::ordered_json;

// The usual three first.
std::vector<int> powersOf(const control::GainOrder& order) {
  std::vector<int> powers{0, -1, 1};
  for (int n = 2; n <= order.integrals; ++n) powers.push_back(-n);
  for (int n = 2; n <= order.derivatives; ++n) powers.push_back(n);
  return powers;
}

std::string nameOf(int power) {
  return std::string(control::kGainNames[power + control::kMostIntegrals]);
}

}  // namespace

std::vector<std::string> describeGains(const Identification& found, const IdentifyHead& head) {
  std::vector<std::string> lines;
  lines.push_back(found.isPerturbed
                      ? base::formatText("%s: gains by perturbation at %g s (steps of %g s)",
                                         head.block.c_str(), head.time, head.delta * found.step)
                      : base::formatText("%s: gains from its equations at %g s", head.block.c_str(),
                                         head.time));
  std::size_t width = 6;
  for (const GainPair& pair : found.pairs) {
    width = std::max({width, pair.input.size(), pair.output.size()});
  }
  const int column = static_cast<int>(width);
  std::string title = base::formatText("  %-*s  %-*s", column, "input", column, "output");
  for (const int power : powersOf(head.order))
    title += base::formatText("  %15s", nameOf(power).c_str());
  lines.push_back(title + "  residual");
  for (const GainPair& pair : found.pairs) {
    std::string line =
        base::formatText("  %-*s  %-*s", column, pair.input.c_str(), column, pair.output.c_str());
    for (const int power : powersOf(head.order)) {
      line += base::formatText("  %15.10g", pair.gains[power] + 0.0);
    }
    lines.push_back(line + base::formatText("  %8.1e", pair.gains.residual));
  }
  if (found.residual > control::kGainTolerance) {
    lines.push_back(
        base::formatText("  the block is not described by these gains: the residual is above %g",
                         control::kGainTolerance));
  }
  return lines;
}

void writeGainsJson(const std::string& path, const Identification& found,
                    const IdentifyHead& head) {
  Json json;
  json["block"] = head.block;
  json["gains"] = Json::array();
  for (const GainPair& pair : found.pairs) {
    Json entry{{"input", pair.input}, {"output", pair.output}};
    for (const int power : powersOf(head.order)) entry[nameOf(power)] = pair.gains[power] + 0.0;
    entry["residual"] = pair.gains.residual;
    json["gains"].push_back(std::move(entry));
  }
  json["residual"] = found.residual;
  json["time"] = head.time;
  json["method"] = found.isPerturbed ? "perturbation" : "equations";
  files::writeTextFile(path, json.dump(2) + "\n");
}

void writeGainsCsv(const std::string& path, const Identification& found, const IdentifyHead& head) {
  std::string text = "input,output";
  for (const int power : powersOf(head.order)) text += "," + nameOf(power);
  text += ",residual\n";
  for (const GainPair& pair : found.pairs) {
    text += pair.input + "," + pair.output;
    for (const int power : powersOf(head.order)) {
      text += ',';
      files::appendNumber(pair.gains[power] + 0.0, text);
    }
    text += ',';
    files::appendNumber(pair.gains.residual, text);
    text += '\n';
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
