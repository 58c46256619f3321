#include <stdexcept>

#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "control/boxes/wrap/c_wrapper.hpp"
#include "fem/mesh/mesh_file.hpp"
#include "fem/mesh/quality/quality.hpp"
#include "fem/mesh/structural_elements.hpp"
#include "harness.hpp"
#include "language/convert/urdf_reader.hpp"
#include "language/model_reader.hpp"
#include "language/source_reader.hpp"
#include "language/wrap/wrap_reader.hpp"
#include "model/build.hpp"
#include "results/record_file.hpp"
#include "results/record_part.hpp"
#include "support/temporary_folder.hpp"
#include "view/scene/mesh_file.hpp"

namespace flexloop::fuzz {

std::string putInFile(const std::string& bytes) {
  static const testing::TemporaryFolder folder;
  return folder.write("input", bytes);
}

void runModel(const std::string& bytes) {
  static const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
  // Stored: what it includes is not looked for on this machine.
  const model::SourceFiles files{{{"m.yaml", "m.yaml", bytes, false}}, true};
  try {
    language::readModelFiles(files, "m.yaml", registry);
  } catch (const base::InputError&) {
    return;
  }
}

void runMesh(const std::string& bytes) {
  try {
    const view::Mesh mesh = view::readMeshBytes(bytes, "mesh", 1.0);
    for (const std::uint32_t index : mesh.indices) {
      if (3 * std::size_t{index} + 2 >= mesh.positions.size()) std::abort();
    }
  } catch (const std::runtime_error&) {
    return;
  }
}

void runPartMesh(const std::string& bytes) {
  // By the name it is Nastran; the others are known by their content.
  const base::Result<fem::MeshFile> file = fem::readMeshText(bytes, "input.bdf", 1e-3);
  if (!file) return;
  fem::Mesh mesh = file.value().mesh;
  const auto isNode = [&](int node) {
    if (node < 0 || node >= static_cast<int>(mesh.points.size())) std::abort();
  };
  for (const int node : mesh.elementNodes) isNode(node);
  for (const auto& [name, nodes] : mesh.nodeSets) {
    for (const int node : nodes) isNode(node);
  }
  for (const fem::Spider& spider : mesh.spiders) {
    isNode(spider.reference);
    for (const int node : spider.nodes) isNode(node);
  }
  fem::selectStructuralElements(mesh, {});
  fem::checkQuality(mesh);
}

void runRecord(const std::string& bytes) {
  try {
    const analysis::TimeRecord record =
        results::readRecordFile(putInFile(bytes), results::RecordKind::kCsv);
    for (const std::vector<double>& column : record.columns) {
      if (column.size() != record.times.size()) std::abort();
    }
    results::selectPart(record, {}, {}, "input");
  } catch (const base::InputError&) {
    return;
  }
}

void runTyre(const std::string& bytes) {
  static const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
  try {
    model::buildModel(
        language::readModelText("flexloop: 1\nnodes: {w: [0, 0, 0.3]}\n"
                                "bodies: {w: {node: w, mass: 1, inertia: [1, 1, 1]}}\n"
                                "contacts: {t: {type: tyre, node: w, axis: [0, 1, 0], road: "
                                "{normal: [0, 0, 1]}, file: " +
                                    putInFile(bytes) + "}}\n",
                                "m.yaml", registry),
        registry);
  } catch (const base::InputError&) {
    return;
  }
}

// What is converted is a text that the reader of models takes, or has something to say about.
void runRobot(const std::string& bytes) {
  for (const bool weld : {false, true}) {
    try {
      language::Robot robot = language::readUrdf(bytes, "robot.urdf");
      runModel(language::writeRobotModel(robot, {weld, weld}));
    } catch (const base::InputError&) {
      return;
    }
  }
}

void runWrap(const std::string& bytes) {
  try {
    control::writeWrapper(language::readWrapDescription(bytes, "code.yaml"));
  } catch (const base::InputError&) {
    return;
  }
}

std::vector<std::string> makeRunSamples(std::string_view name);
std::vector<std::string> makeNumberSamples(std::string_view name);
std::vector<std::string> makeFmuSamples(std::string_view name);

std::vector<std::string> makeSamples(std::string_view name) {
  if (name == "result" || name == "checkpoint") return makeRunSamples(name);
  if (name == "table" || name == "lpv" || name == "part_file") return makeNumberSamples(name);
  if (name.starts_with("fmu")) return makeFmuSamples(name);
  return {};
}

}  // namespace flexloop::fuzz
