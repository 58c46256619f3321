#include "io/mode_text.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "io/csv_writer.hpp"
#include "io/limit_text.hpp"
#include "io/output_file.hpp"
#include "io/text_format.hpp"

namespace flexloop::io {
namespace {

using analysis::Mode;
using analysis::ModeComparison;
using analysis::ModeDescription;
using analysis::ModeResult;
using analysis::Share;
using Complex = std::complex<double>;
using Json = nlohmann::ordered_json;

Json toJson(Complex value) {
  return Json::array({value.real() + 0.0, value.imag() + 0.0});  // no minus before a zero
}

Json toJson(const Eigen::Vector3cd& v) {
  return Json::array({toJson(v[0]), toJson(v[1]), toJson(v[2])});
}

// A new key. The operator [] would compare it with all keys before, which are many in a large machine.
void append(const std::string& key, Json value, Json& object) {
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

// Displacement and rotation of the nodes that can move, in ground axes.
Json nodesOf(const system::System& system, const system::State& state,
             const Eigen::VectorXcd& shape) {
  Json json = Json::object();
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const system::Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    const auto A = system::calcMap(node, state.frames[i]);
    const Eigen::VectorXcd twist =
        A.leftCols(node.count).cast<Complex>() * shape.segment(node.firstUnknown, node.count);
    const Eigen::Matrix3cd R = state.frames[i].R.cast<Complex>();
    append(node.name,
           {{"displacement", toJson(Eigen::Vector3cd(R * twist.head<3>()))},
            {"rotation", toJson(Eigen::Vector3cd(R * twist.tail<3>()))}},
           json);
  }
  return json;
}

Json shapeOf(const model::Model& model, const system::State& state, const Eigen::VectorXcd& shape) {
  const system::System& system = model.system();
  Json json;
  json["nodes"] = nodesOf(system, state, shape);
  json["states"] = Json::object();
  json["signals"] = Json::object();
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] == system::Kind::kState) {
      append(system.unknownName({u}), toJson(shape[u]), json["states"]);
    }
  }
  for (const auto& [name, signal] : model.signals()) {
    append(name, toJson(shape[signal.value]), json["signals"]);
  }
  return json;
}

// Of what is printed with five digits.
double withoutMinusZero(double ratio) {
  return std::abs(ratio) < 5e-6 ? 0.0 : ratio;
}

// Without damping, ω² < 0 is a motion away from where the machine stands, and complex ω² a growing
// oscillation.
std::string judge(const Mode& mode, const ModeHead& head) {
  if (mode.isStable()) return "";
  if (head.method != "undamped") return "unstable";
  return mode.eigenvalue.imag() == 0.0 ? "unstable: negative ω², it buckles"
                                       : "unstable: complex ω², it flutters";
}

std::string describeMode(int number, const Mode& mode, const ModeHead& head) {
  const Complex s = mode.eigenvalue;
  return formatText("  %3d  %14.7g  %11.5f  %14.7g  %14.7g  %8.1e  %s", number, mode.frequencyHz(),
                    withoutMinusZero(mode.dampingRatio()), s.real() + 0.0, s.imag() + 0.0,
                    mode.residual, judge(mode, head).c_str());
}

std::string listOf(const std::vector<Share>& shares, double factor, const char* unit) {
  std::string text;
  for (const Share& share : shares) {
    text += formatText("%s%s %.3g%s", text.empty() ? "" : ", ", share.name.c_str(),
                       factor * share.value, unit);
  }
  return text;
}

std::string explain(const ModeDescription& mode) {
  const auto percent = [](double share) { return static_cast<int>(std::lround(100.0 * share)); };
  std::string text = "       " + mode.name +
                     formatText("; energy: kinetic %d %%, strain %d %%, control %d %%",
                                percent(mode.kinetic), percent(mode.strain), percent(mode.control));
  if (!mode.bodies.empty()) text += "; moving: " + listOf(mode.bodies, 100.0, " %");
  if (!mode.damping.empty()) text += "; damping: " + listOf(mode.damping, 1.0, "");
  return text;
}

Json toJson(const std::vector<Share>& shares) {
  Json json = Json::object();
  for (const Share& share : shares) json[share.name] = share.value;
  return json;
}

Json numbersOf(const Mode& mode) {
  Json entry;
  entry["eigenvalue"] = toJson(mode.eigenvalue);
  if (mode.multiplier) entry["multiplier"] = toJson(*mode.multiplier);
  entry["frequency_hz"] = mode.frequencyHz();
  entry["damping_ratio"] = mode.dampingRatio() + 0.0;
  entry["stable"] = mode.isStable();
  entry["residual"] = mode.residual;
  return entry;
}

void addDescription(const ModeDescription& mode, Json& entry) {
  entry["name"] = mode.name;
  entry["energy"] = {{"kinetic", mode.kinetic}, {"strain", mode.strain}, {"control", mode.control}};
  entry["participation"] = {{"kinetic", toJson(mode.bodies)},
                            {"strain", toJson(mode.springs)},
                            {"loops", toJson(mode.loops)},
                            {"freedoms", toJson(mode.freedoms)}};
  entry["damping_by_origin"] = toJson(mode.damping);
}

bool hasUnstable(const ModesAtTime& instant) {
  const std::vector<Mode>& modes = instant.result.modes;
  return std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return !m.isStable(); });
}

std::string titleOf(const model::Model& model) {
  const std::string& title = model.description().title;
  return title.empty() ? model.description().file : title;
}

Json entryToJson(const study::ModeSensitivity& mode, const study::Sensitivity& entry) {
  const Complex change = study::calcChangePerPercent(entry);
  Json json;
  json["parameter"] = entry.name;
  json["value"] = entry.value;
  json["derivative"] = {entry.derivative.real() + 0.0, entry.derivative.imag() + 0.0};
  json["uncertainty"] = entry.uncertainty;
  json["frequency_hz_per_percent"] = study::calcFrequencyChange(mode.eigenvalue, change) + 0.0;
  json["damping_ratio_per_percent"] = study::calcDampingChange(mode.eigenvalue, change) + 0.0;
  return json;
}

void addSensitivities(const study::ModeSensitivity& mode, Json& entry) {
  if (!mode.trouble.empty()) entry["no_sensitivities"] = mode.trouble;
  entry["sensitivities"] = Json::array();
  for (const study::Sensitivity& one : mode.entries) {
    entry["sensitivities"].push_back(entryToJson(mode, one));
  }
}

// What follows the list of modes.
Json tailOf(const ModeResult& result, const ModeHead& head,
            const study::SensitivityResult* sensitivities) {
  Json json;
  if (sensitivities != nullptr) {
    json["skipped_parameters"] = Json::array();
    for (const study::SkippedParameter& skipped : sensitivities->skipped) {
      json["skipped_parameters"].push_back(
          {{"parameter", skipped.name}, {"reason", skipped.reason}});
    }
  }
  json["method"] = head.method;
  json["loop"] = head.loop;
  json["bodies"] = head.bodies;
  json["time"] = head.time;
  if (result.sampled) json["sampled"] = {{"period", result.sampled->period}};
  if (head.others) {
    json["mac"] = Json::array();
    for (int i = 0; i < head.others->mac.rows(); ++i) {
      const Eigen::VectorXd row = head.others->mac.row(i);
      json["mac"].push_back(std::vector<double>(row.begin(), row.end()));
    }
  }
  if (head.limits) {
    json["stability_limits"] =
        Json::parse(makeLimitsJson(head.limits->sweep, head.limits->limits, ModeNumbers::kLeftOut));
  }
  return json;
}

// `last` becomes the last entry of an object that is not empty; it stands on one line.
std::string joinText(const Json& object, const char* key, const Json& last) {
  std::string text = object.dump(2);
  text.resize(text.size() - 2);  // "\n}"
  return text + ",\n  \"" + key + "\": " + last.dump() + "\n}";
}

std::vector<std::string> describeSampling(const analysis::SampledCycle& cycle) {
  const double highest = 0.5 / cycle.period;
  std::vector<std::string> lines{formatText(
      "  sampled: all clocks repeat after %.6g s, and frequencies are known up to %.6g Hz",
      cycle.period, highest)};
  if (cycle.folded > 0) {
    lines.push_back(
        formatText("  modes of the machine alone above that frequency: %d; they appear below it",
                   cycle.folded));
  }
  if (cycle.vanished > 0) {
    lines.push_back(
        formatText("  left out, since it is gone within a cycle: %d of the memory and the motions",
                   cycle.vanished));
  }
  return lines;
}

}  // namespace

std::vector<std::string> describeModes(const model::Model& model, const ModeResult& result,
                                       const ModeHead& head, const ModeDescriptions& descriptions) {
  std::vector<std::string> lines{formatText(
      "%s: modes at %g s (loop %s, %s bodies, method %s, unknowns: %d)", titleOf(model).c_str(),
      head.time, head.loop.c_str(), head.bodies.c_str(), head.method.c_str(), result.unknowns)};
  lines.emplace_back(
      "       frequency [Hz]      damping        re [1/s]      im [rad/s]  residual");
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    lines.push_back(describeMode(static_cast<int>(i) + 1, result.modes[i], head));
    if (i < descriptions.size()) lines.push_back(explain(descriptions[i]));
  }
  if (result.modes.empty()) lines.emplace_back("  there are none");
  if (result.rigidMotions > 0) {
    lines.push_back(formatText("  the machine floats: %d of its motions meet no resistance",
                               result.rigidMotions));
  }
  if (result.sampled) {
    for (std::string& line : describeSampling(*result.sampled)) lines.push_back(std::move(line));
  }
  if (head.others) {
    for (std::string& line : describeShapeComparison(*head.others)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

void writeModesJson(const std::string& path, const model::Model& model, const system::State& state,
                    const ModeResult& result, const ModeHead& head,
                    const ModeDescriptions& descriptions,
                    const study::SensitivityResult* sensitivities) {
  // Mode by mode: the shapes of a large machine are long, and need not be held together.
  OutputFile file(path);
  file.write("{\"modes\": [");
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    Json entry = numbersOf(result.modes[i]);
    if (i < descriptions.size()) addDescription(descriptions[i], entry);
    if (sensitivities != nullptr && i < sensitivities->modes.size()) {
      addSensitivities(sensitivities->modes[i], entry);
    }
    file.write(i > 0 ? ",\n" : "\n");
    file.write(joinText(entry, "shape", shapeOf(model, state, result.modes[i].shape)));
  }
  file.write("],");
  file.write(tailOf(result, head, sensitivities).dump(2).substr(1));
  file.write("\n");
  file.close();
}

std::vector<std::string> describeInstants(const model::Model& model,
                                          const std::vector<ModesAtTime>& instants) {
  std::vector<std::string> lines{titleOf(model) + ": modes along a simulation"};
  lines.emplace_back("      time [s]  frequency [Hz] (damping) by mode");
  for (const ModesAtTime& instant : instants) {
    std::string line = formatText("  %12.6g", instant.time);
    for (const Mode& mode : instant.result.modes) {
      line += formatText("  %10.5g (%.4f)%s", mode.frequencyHz(),
                         withoutMinusZero(mode.dampingRatio()), mode.isStable() ? "" : "!");
    }
    lines.push_back(std::move(line));
  }
  if (std::any_of(instants.begin(), instants.end(), hasUnstable)) {
    lines.emplace_back("  ! unstable");
  }
  return lines;
}

void writeInstantsJson(const std::string& path, const std::vector<ModesAtTime>& instants,
                       const ModeHead& head) {
  Json json;
  json["instants"] = Json::array();
  for (const ModesAtTime& instant : instants) {
    Json entry{{"time", instant.time}, {"modes", Json::array()}};
    for (std::size_t i = 0; i < instant.result.modes.size(); ++i) {
      Json mode = numbersOf(instant.result.modes[i]);
      if (i < instant.descriptions.size()) addDescription(instant.descriptions[i], mode);
      entry["modes"].push_back(std::move(mode));
    }
    json["instants"].push_back(std::move(entry));
  }
  json["method"] = head.method;
  json["loop"] = head.loop;
  json["bodies"] = head.bodies;
  writeTextFile(path, json.dump(2) + "\n");
}

std::vector<std::string> describeComparison(const model::Model& model,
                                            const ModeComparison& comparison) {
  std::vector<std::string> lines{titleOf(model) + ": modes in three views"};
  std::string head = "     ";
  for (const analysis::ComparedModes& column : comparison.columns) {
    head += formatText("  %-30s", column.view.c_str());
  }
  lines.push_back(head);
  std::string units = "     ";
  for (std::size_t c = 0; c < comparison.columns.size(); ++c) {
    units += formatText("  %14s  %7s  %5s", "frequency [Hz]", "damping", c > 0 ? "MAC" : "");
  }
  lines.push_back(units);
  int number = 0;
  for (const ModeComparison::Row& row : comparison.rows) {
    std::string line = formatText("  %3d", ++number);
    for (std::size_t c = 0; c < row.modes.size(); ++c) {
      if (row.modes[c] < 0) {
        line += formatText("  %14s  %7s  %5s", "-", "", "");
        continue;
      }
      const Mode& mode = comparison.columns[c].result.modes[row.modes[c]];
      line +=
          formatText("  %14.7g  %7.4f", mode.frequencyHz(), withoutMinusZero(mode.dampingRatio()));
      line += c > 0 && row.modes[0] >= 0 ? formatText("  %5.3f", row.mac[c]) : "       ";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void writeComparisonJson(const std::string& path, const ModeComparison& comparison) {
  Json json;
  json["columns"] = Json::array();
  for (const analysis::ComparedModes& column : comparison.columns) {
    Json modes = Json::array();
    for (const Mode& mode : column.result.modes) modes.push_back(numbersOf(mode));
    json["columns"].push_back({{"view", column.view}, {"modes", std::move(modes)}});
  }
  json["rows"] = Json::array();
  for (const ModeComparison::Row& row : comparison.rows) {
    Json modes = Json::array(), mac = Json::array();
    for (std::size_t c = 0; c < row.modes.size(); ++c) {
      modes.push_back(row.modes[c] < 0 ? Json() : Json(row.modes[c]));
      const bool isPaired = row.modes[c] >= 0 && row.modes[0] >= 0;
      mac.push_back(isPaired ? Json(c == 0 ? 1.0 : row.mac[c]) : Json());
    }
    json["rows"].push_back({{"modes", std::move(modes)}, {"mac", std::move(mac)}});
  }
  writeTextFile(path, json.dump(2) + "\n");
}

void writeModesCsv(const std::string& path, const ModeResult& result) {
  std::string text = "frequency_hz,damping_ratio,re,im,residual\n";
  for (const Mode& mode : result.modes) {
    const double columns[] = {mode.frequencyHz(), mode.dampingRatio() + 0.0,
                              mode.eigenvalue.real() + 0.0, mode.eigenvalue.imag() + 0.0,
                              mode.residual};
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      if (i > 0) text += ',';
      appendNumber(columns[i], text);
    }
    text += '\n';
  }
  writeTextFile(path, text);
}

}  // namespace flexloop::io
