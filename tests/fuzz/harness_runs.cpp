// Results and checkpoints of a small machine with memory of every kind.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "analysis/time/time_analysis.hpp"
#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "files/file_seal.hpp"
#include "harness.hpp"
#include "language/model_reader.hpp"
#include "model/build.hpp"
#include "results/checkpoint.hpp"
#include "results/result_reader.hpp"

namespace flexloop::fuzz {
namespace {

constexpr const char* kModel = R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {root: [0, 0, 0], tip: [0.3, 0, 0]}
bodies: {root: {node: root, mass: 1, inertia: [1, 1, 1]}, tip: {node: tip, mass: 1, inertia: [1, 1, 1]}}
joints:
  hinge: {type: hinge, between: [ground, root], axis: [0, 1, 0]}
  rod: {type: hinge, between: [root, tip], axis: [0, 1, 0]}
sensors: {angle: {measure: angle, joint: hinge}}
blocks:
  law: {type: discrete_pid, input: angle, reference: 0.1, kp: 0.4, ki: 1, kd: 0.01, sample: 1 ms}
  late: {type: transport_delay, input: law, delay: 2.5 ms}
  kick: {type: relay, input: angle, on_above: 0.01, off_below: -0.01, on_value: 0.01, off_value: -0.01}
  torque: {type: sum, inputs: [late, -kick]}
actuators: {motor: {type: torque, joint: hinge, input: torque}}
analysis: {time: {end: 6 ms, step: 0.3 ms}}
)";

const model::Model& machine() {
  static const model::Model model = [] {
    const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
    return model::buildModel(language::readModelText(kModel, "m.yaml", registry), registry);
  }();
  return model;
}

class Keeper final : public analysis::Observer {
 public:
  explicit Keeper(int steps) : steps_(steps) {}
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State&, const std::vector<double>&) override {}
  bool onStep(double) override { return --steps_ > 0; }
  void onCheckpoint(const analysis::RunPoint& point) override { points.push_back(point); }

  std::vector<analysis::RunPoint> points;

 private:
  int steps_;
};

std::string readBytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string makeResult(bool complete) {
  const std::string path = putInFile("");
  results::ResultHead head;
  head.version = "1";
  head.modelFile = "m.yaml";
  head.modelText = kModel;
  head.files = {{"part.stl", {}, "solid\nendsolid\n", false}};
  head.title = "machine";
  head.outputs = {"angle", "tip.x"};
  head.units = {"rad", "m"};
  head.nodes = {"root", "tip"};
  results::ResultWriter writer(path, head);
  const std::vector<math::Frame<double>> frames(3, math::Frame<double>::identity());
  for (int i = 0; i < 20; ++i) writer.write(0.1 * i, {1.0 * i, 2.0 * i}, frames);
  writer.finish(complete);
  return readBytes(writer.path());
}

}  // namespace

void runResult(const std::string& bytes) {
  try {
    const std::string path = putInFile(bytes);
    const results::Result result = results::readResult(path);
    const std::size_t records = result.time.size(), nodes = result.nodes.size();
    if (result.positions.size() != 3 * nodes * records) std::abort();
    if (result.units.size() != result.outputs.size()) std::abort();
    results::ResultFile(path).readFiles();
  } catch (const std::runtime_error&) {
    return;
  }
}

void runCheckpoint(const std::string& bytes) {
  try {
    const std::string path = putInFile(bytes);
    if (files::checkSeal(path) != files::Seal::kWhole) files::sealFile(path);
    const analysis::RunPoint point = results::readCheckpoint(path, machine());
    Keeper few(3);
    static_cast<void>(analysis::runTime(machine(), *machine().time(), few, {&point, {}}));
  } catch (const base::InputError&) {
    return;
  }
}

std::vector<std::string> makeRunSamples(std::string_view name) {
  if (name == "result") return {makeResult(true), makeResult(false)};
  Keeper whole(1000000);
  static_cast<void>(analysis::runTime(machine(), *machine().time(), whole, {nullptr, {0.003}}));
  const std::string path = putInFile("");
  results::writeCheckpoint(path, machine(), whole.points.at(0));
  return {readBytes(path)};
}

}  // namespace flexloop::fuzz
