#include "reports/mode_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/modes/node_shape.hpp"
#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "reports/limit_text.hpp"
#include "reports/mode_json.hpp"
#include "reports/operating_point_text.hpp"

namespace flexloop::reports {
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
    const analysis::NodeShape moved = analysis::calcNodeShape(system, state, shape, i);
    append(node.name,
           {{"displacement", toJson(moved.displacement)}, {"rotation", toJson(moved.rotation)}},
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

// Without damping, ω² < 0 is a motion away from the pose of the machine, and complex ω² a growing
// oscillation.
std::string judge(const Mode& mode, const ModeHead& head) {
  if (mode.isStable()) return "";
  if (head.method != "undamped") return "unstable";
  return mode.eigenvalue.imag() == 0.0 ? "unstable: negative ω², buckling"
                                       : "unstable: complex ω², flutter";
}

constexpr const char* kUnstableMark = "  ! unstable";
constexpr double kToldDamping = 1e-3;  // of the largest contribution to the damping of a mode

// Of what is printed with few digits beside it.
double withoutRoundOff(double part, Complex whole) {
  return std::abs(part) < 1e-14 * std::abs(whole) ? 0.0 : part;
}

// A real root has no frequency; its rate is printed instead.
std::string frequencyOf(const Mode& mode) {
  const Complex s = mode.eigenvalue;
  if (s.imag() == 0.0 && s.real() != 0.0) return base::formatText("%10.5g 1/s", s.real());
  return base::formatText("%14.7g", mode.frequencyHz());
}

std::string dampingOf(const Mode& mode) {
  if (mode.eigenvalue.imag() == 0.0) return mode.isStable() ? "       " : "      !";
  return base::formatText("%7.4f%s", withoutMinusZero(mode.dampingRatio()),
                          mode.isStable() ? "" : "!");
}

std::string describeAtInstant(const Mode& mode) {
  const Complex s = mode.eigenvalue;
  const char* mark = mode.isStable() ? "" : "!";
  const bool isReal = s.imag() == 0.0 && s.real() != 0.0;
  const std::string second =
      isReal ? std::string("1/s") + mark
             : base::formatText("(%.4f)%s", withoutMinusZero(mode.dampingRatio()), mark);
  return base::formatText("  %10.5g %-10s", isReal ? s.real() : mode.frequencyHz(), second.c_str());
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string describeMode(int number, const Mode& mode, const ModeHead& head) {
  const Complex s = mode.eigenvalue;
  return trimmed(base::formatText("  %3d  %14.7g  %11.5f  %14.7g  %14.7g  %8.1e  %s", number,
                                  mode.frequencyHz(), withoutMinusZero(mode.dampingRatio()),
                                  withoutRoundOff(s.real(), s), s.imag() + 0.0, mode.residual,
                                  judge(mode, head).c_str()));
}

std::string listOf(const std::vector<Share>& shares, double factor, const char* unit) {
  std::string text;
  for (const Share& share : shares) {
    text += base::formatText("%s%s %.3g%s", text.empty() ? "" : ", ", share.name.c_str(),
                             factor * share.value, unit);
  }
  return text;
}

// Those that matter; they are sorted by size.
std::vector<Share> largestOf(std::vector<Share> shares) {
  std::erase_if(shares, [first = shares.empty() ? 0.0 : shares.front().value](const Share& share) {
    return std::abs(share.value) < kToldDamping * std::abs(first);
  });
  return shares;
}

std::vector<std::string> explain(const ModeDescription& mode) {
  const auto percent = [](double share) { return static_cast<int>(std::lround(100.0 * share)); };
  const std::string indent = "       ";
  std::vector<std::string> lines{indent + mode.name};
  const int kinetic = percent(mode.kinetic), strain = percent(mode.strain);
  const int control = percent(mode.control);
  if (kinetic != 0 || strain != 0 || control != 0) {
    lines.push_back(indent + base::formatText("energy: kinetic %d %%, strain %d %%, control %d %%",
                                              kinetic, strain, control));
    if (!mode.bodies.empty()) lines.back() += "; moving: " + listOf(mode.bodies, 100.0, " %");
  }
  if (!mode.damping.empty()) {
    lines.push_back(indent + "damping: " + listOf(largestOf(mode.damping), 1.0, ""));
  }
  return lines;
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
  if (!mode.obstacle.empty()) entry["no_sensitivities"] = mode.obstacle;
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
  if (!head.about.empty()) json["about"] = head.about;
  json["stability"] = makeVerdictJson(result.verdict);
  json["notes"] = result.notes;
  if (result.sampled) {
    json["sampled"] = {{"period", result.sampled->period},
                       {"dead_beat_modes", result.sampled->vanished}};
  }
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

// `last` becomes the last entry of an object that is not empty, on one line.
std::string joinText(const Json& object, const char* key, const Json& last) {
  std::string text = object.dump(2);
  text.resize(text.size() - 2);  // "\n}"
  return text + ",\n  \"" + key + "\": " + last.dump() + "\n}";
}

std::vector<std::string> describeSampling(const analysis::SampledCycle& cycle) {
  const double highest = 0.5 / cycle.period;
  std::vector<std::string> lines{base::formatText(
      "  sampled: all clocks repeat after %.6g s; frequencies are determined up to %.6g Hz",
      cycle.period, highest)};
  if (cycle.folded > 0) {
    lines.push_back(base::formatText(
        "  modes of the machine alone above that frequency: %d; they are aliased below it",
        cycle.folded));
  }
  if (cycle.vanished > 0) {
    lines.push_back(base::formatText(
        "  not listed because they decay within one cycle: %d modes of memory and motion",
        cycle.vanished));
  }
  return lines;
}

// Free motions of the machine, and integrals that nothing takes back.
std::vector<std::string> describeZeroRoots(const ModeResult& result) {
  std::vector<std::string> lines;
  const int motions = result.rigidMotions;
  const int zeros = static_cast<int>(std::count_if(
      result.modes.begin(), result.modes.end(), [](const Mode& m) { return m.eigenvalue == 0.0; }));
  if (motions > 0) {
    lines.push_back(base::formatText("  %d rigid-body %s: the machine is free to move", motions,
                                     motions == 1 ? "mode" : "modes"));
  }
  if (zeros > motions) {
    lines.push_back(base::formatText(
        "  zero roots without motion: %d, integrals that no loop feeds back", zeros - motions));
  }
  return lines;
}

std::string describeVerdict(const analysis::StabilityVerdict& verdict) {
  const int k = verdict.growing;
  std::string text =
      k == 0 ? "stable: no mode grows"
             : base::formatText("unstable: %d %s", k, k == 1 ? "mode grows" : "modes grow");
  if (verdict.isCertain) return text;
  text = k == 0 ? "no growing mode was found"
                : base::formatText("unstable: at least %d %s", k,
                                   k == 1 ? "mode grows" : "modes grow");
  if (verdict.doubtful > 0) {
    return text + base::formatText("; %d %s or decay, within %s uncertainty", verdict.doubtful,
                                   verdict.doubtful == 1 ? "mode may grow" : "modes may grow",
                                   verdict.doubtful == 1 ? "its" : "their");
  }
  if (verdict.searchedHz > 0.0) {
    return text +
           base::formatText("; not all modes above %.4g Hz were checked", verdict.searchedHz);
  }
  return text + "; not all modes were checked";
}

std::string describeCompared(const ModeComparison& comparison, const ModeComparison::Row& row,
                             std::size_t column) {
  const bool hasMode = row.modes[column] >= 0;
  std::string text = base::formatText("  %14s  %-8s", "-", "");
  if (hasMode) {
    const Mode& mode = comparison.columns[column].result.modes[row.modes[column]];
    text = "  " + frequencyOf(mode) + "  " + base::formatText("%-8s", dampingOf(mode).c_str());
  }
  if (column == 0) return text;
  return text +
         (hasMode && row.modes[0] >= 0 ? base::formatText("  %5.3f", row.mac[column]) : "       ");
}

std::string describeTotal(const ModeResult& result) {
  const int shown = static_cast<int>(result.modes.size());
  if (result.total == 1) return "  the model has no other modes";
  if (shown == result.total)
    return base::formatText("  these are all %d modes of the model", shown);
  return base::formatText("  the model has %d modes, of which %d are listed", result.total, shown);
}

}  // namespace

std::vector<std::string> describeGrowth(const std::vector<Mode>& modes) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].isStable()) continue;
    const double growth = modes[i].eigenvalue.real();
    const std::string how = modes[i].frequencyHz() == 0.0
                                ? "without oscillation"
                                : base::formatText("at %.5g Hz", modes[i].frequencyHz());
    lines.push_back(
        base::formatText("mode %d is unstable: %s it grows as exp(%.5g t), doubling in %.3g s",
                         static_cast<int>(i) + 1, how.c_str(), growth, std::numbers::ln2 / growth));
  }
  return lines;
}

std::vector<std::string> describeModes(const model::Model& model, const ModeResult& result,
                                       const ModeHead& head, const ModeDescriptions& descriptions) {
  std::vector<std::string> lines{base::formatText(
      "%s: modes %s (loop %s, %s bodies, method %s, unknowns: %d)", titleOf(model).c_str(),
      describePoint(head.about, head.time).c_str(), head.loop.c_str(), head.bodies.c_str(),
      head.method.c_str(), result.unknowns)};
  lines.emplace_back(
      "       frequency [Hz]      damping        re [1/s]      im [rad/s]  residual");
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    lines.push_back(describeMode(static_cast<int>(i) + 1, result.modes[i], head));
    if (i >= descriptions.size()) continue;
    for (std::string& line : explain(descriptions[i])) lines.push_back(std::move(line));
  }
  if (result.modes.empty()) lines.emplace_back("  no modes");
  if (result.isComplete && !result.modes.empty()) lines.push_back(describeTotal(result));
  for (const std::string& line : describeGrowth(result.modes)) lines.push_back("  " + line);
  lines.push_back("  " + describeVerdict(result.verdict));
  for (std::string& line : describeZeroRoots(result)) lines.push_back(std::move(line));
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
  files::OutputFile file(path);
  file.write("{\"modes\": [");
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    Json entry = makeModeJson(result.modes[i]);
    if (i < descriptions.size()) addModeDescription(descriptions[i], entry);
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
  std::vector<std::string> lines{titleOf(model) + ": modes during a simulation"};
  lines.emplace_back(
      "      time [s]  frequency [Hz] (damping) of each mode; real roots: rate [1/s]");
  for (const ModesAtTime& instant : instants) {
    std::string line = base::formatText("  %12.6g", instant.time);
    for (const Mode& mode : instant.result.modes) line += describeAtInstant(mode);
    lines.push_back(trimmed(std::move(line)));
  }
  const bool hasUnstable = std::any_of(instants.begin(), instants.end(), [](const auto& instant) {
    return !describeGrowth(instant.result.modes).empty();
  });
  if (hasUnstable) lines.emplace_back(kUnstableMark);
  const auto worst =
      std::max_element(instants.begin(), instants.end(), [](const auto& a, const auto& b) {
        const auto badness = [](const ModesAtTime& instant) {
          return std::pair(instant.result.verdict.growing, !instant.result.verdict.isCertain);
        };
        return badness(a) < badness(b);
      });
  if (worst != instants.end()) {
    const std::string when = worst->result.verdict.isStable()
                                 ? "at all times"
                                 : base::formatText("at %g s", worst->time);
    lines.push_back("  " + when + ": " + describeVerdict(worst->result.verdict));
  }
  return lines;
}

void writeInstantsJson(const std::string& path, const std::vector<ModesAtTime>& instants,
                       const ModeHead& head) {
  Json json;
  json["instants"] = Json::array();
  for (const ModesAtTime& instant : instants) {
    Json entry{{"time", instant.time},
               {"stability", makeVerdictJson(instant.result.verdict)},
               {"modes", Json::array()}};
    for (std::size_t i = 0; i < instant.result.modes.size(); ++i) {
      Json mode = makeModeJson(instant.result.modes[i]);
      if (i < instant.descriptions.size()) addModeDescription(instant.descriptions[i], mode);
      entry["modes"].push_back(std::move(mode));
    }
    json["instants"].push_back(std::move(entry));
  }
  json["method"] = head.method;
  json["loop"] = head.loop;
  json["bodies"] = head.bodies;
  files::writeTextFile(path, json.dump(2) + "\n");
}

std::vector<std::string> describeComparison(const model::Model& model,
                                            const ModeComparison& comparison) {
  std::vector<std::string> lines{titleOf(model) + ": modes in three views; real roots: rate [1/s]"};
  std::string head = "     ", units = "     ";
  bool isUnstable = false;
  for (std::size_t c = 0; c < comparison.columns.size(); ++c) {
    const analysis::ComparedModes& column = comparison.columns[c];
    head += base::formatText("  %-*s", c > 0 ? 31 : 24, column.view.c_str());
    units += base::formatText("  %14s  %7s ", "frequency [Hz]", "damping");
    if (c > 0) units += base::formatText("  %5s", "MAC");
    isUnstable = isUnstable || !describeGrowth(column.result.modes).empty();
  }
  lines.push_back(trimmed(head));
  lines.push_back(trimmed(units));
  int number = 0;
  for (const ModeComparison::Row& row : comparison.rows) {
    std::string line = base::formatText("  %3d", ++number);
    for (std::size_t c = 0; c < row.modes.size(); ++c) line += describeCompared(comparison, row, c);
    lines.push_back(trimmed(std::move(line)));
  }
  if (isUnstable) lines.emplace_back(kUnstableMark);
  for (const analysis::ComparedModes& column : comparison.columns) {
    lines.push_back("  " + column.view + ": " + describeVerdict(column.result.verdict));
  }
  return lines;
}

void writeComparisonJson(const std::string& path, const ModeComparison& comparison) {
  Json json;
  json["columns"] = Json::array();
  for (const analysis::ComparedModes& column : comparison.columns) {
    Json modes = Json::array();
    for (const Mode& mode : column.result.modes) modes.push_back(makeModeJson(mode));
    json["columns"].push_back({{"view", column.view},
                               {"stability", makeVerdictJson(column.result.verdict)},
                               {"modes", std::move(modes)}});
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
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
