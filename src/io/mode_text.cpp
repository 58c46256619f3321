#include "io/mode_text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "io/csv_writer.hpp"
#include "io/output_file.hpp"
#include "io/text_format.hpp"

namespace flexloop::io {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using Complex = std::complex<double>;
using Json = nlohmann::ordered_json;

Json toJson(Complex value) {
  return Json::array({value.real() + 0.0, value.imag() + 0.0});  // no minus before a zero
}

Json toJson(const Eigen::Vector3cd& v) {
  return Json::array({toJson(v[0]), toJson(v[1]), toJson(v[2])});
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
    json[node.name] = {{"displacement", toJson(Eigen::Vector3cd(R * twist.head<3>()))},
                       {"rotation", toJson(Eigen::Vector3cd(R * twist.tail<3>()))}};
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
      json["states"][system.unknownName({u})] = toJson(shape[u]);
    }
  }
  for (const auto& [name, signal] : model.signals()) {
    json["signals"][name] = toJson(shape[signal.value]);
  }
  return json;
}

// Of what is printed with five digits.
double withoutMinusZero(double ratio) {
  return std::abs(ratio) < 5e-6 ? 0.0 : ratio;
}

std::string describeMode(int number, const Mode& mode) {
  const Complex s = mode.eigenvalue;
  return formatText("  %3d  %14.7g  %11.5f  %14.7g  %14.7g  %8.1e  %s", number, mode.frequencyHz(),
                    withoutMinusZero(mode.dampingRatio()), s.real() + 0.0, s.imag() + 0.0,
                    mode.residual, mode.isStable() ? "" : "unstable");
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
                                       const ModeHead& head) {
  const std::string& title = model.description().title;
  std::vector<std::string> lines{
      formatText("%s: modes at %g s (loop %s, %s bodies, method %s, unknowns: %d)",
                 (title.empty() ? model.description().file : title).c_str(), head.time,
                 head.loop.c_str(), head.bodies.c_str(), head.method.c_str(), result.unknowns)};
  lines.emplace_back(
      "       frequency [Hz]      damping        re [1/s]      im [rad/s]  residual");
  int number = 0;
  for (const Mode& mode : result.modes) lines.push_back(describeMode(++number, mode));
  if (result.modes.empty()) lines.emplace_back("  there are none");
  if (result.rigidMotions > 0) {
    lines.push_back(formatText("  the machine floats: %d of its motions meet no resistance",
                               result.rigidMotions));
  }
  if (result.sampled) {
    for (std::string& line : describeSampling(*result.sampled)) lines.push_back(std::move(line));
  }
  return lines;
}

void writeModesJson(const std::string& path, const model::Model& model, const system::State& state,
                    const ModeResult& result, const ModeHead& head) {
  Json json;
  json["modes"] = Json::array();
  for (const Mode& mode : result.modes) {
    Json entry;
    entry["eigenvalue"] = toJson(mode.eigenvalue);
    if (mode.multiplier) entry["multiplier"] = toJson(*mode.multiplier);
    entry["frequency_hz"] = mode.frequencyHz();
    entry["damping_ratio"] = mode.dampingRatio() + 0.0;
    entry["stable"] = mode.isStable();
    entry["residual"] = mode.residual;
    entry["shape"] = shapeOf(model, state, mode.shape);
    json["modes"].push_back(std::move(entry));
  }
  json["method"] = head.method;
  json["loop"] = head.loop;
  json["bodies"] = head.bodies;
  json["time"] = head.time;
  if (result.sampled) json["sampled"] = {{"period", result.sampled->period}};
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
