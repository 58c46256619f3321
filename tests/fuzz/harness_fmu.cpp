// FMUs: archives of strangers, what they say of themselves, and states that a host gives back to one of ours.
#include <cstdlib>
#include <exception>
#include <memory>

#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "control/boxes/fmu/fmu_file.hpp"
#include "files/zip_writer.hpp"
#include "fmu/co_simulation.hpp"
#include "fmu/model_exchange.hpp"
#include "harness.hpp"
#include "language/model_reader.hpp"
#include "model/build.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fuzz {
namespace {

constexpr const char* kDescription =
    R"(<fmiModelDescription fmiVersion="2.0" modelName="a" guid="g"><CoSimulation modelIdentifier="a"/>)"
    R"(<ModelVariables><ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>)"
    R"(</ModelVariables><ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure></fmiModelDescription>)";

std::string makeArchive(const std::string& description) {
  const testing::TemporaryFolder folder;
  files::ZipWriter archive(folder.file("a.fmu"));
  archive.add("modelDescription.xml", description);
  for (const char* platform : {"linux64", "x86_64-linux"}) {
    archive.add(std::string("binaries/") + platform + "/a.so", "no code");
  }
  archive.add("resources/table.txt", std::string(5000, 'x'));
  archive.close();
  return testing::readWhole(folder.file("a.fmu"));
}

constexpr const char* kMachine = R"(flexloop: 1
parameters: {k: 200}
nodes: {a: [0, 0, 0], b: [0.3, 0, 0]}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, 1]}}
joints: {h: {type: hinge, between: [ground, a], axis: [0, 1, 0]}, r: {type: hinge, between: [a, b], axis: [0, 1, 0]}}
sensors: {q: {measure: angle, joint: h}}
blocks:
  u: {type: table, time: [0, 1], value: [0, 1]}
  lag: {type: transfer_function, input: u, numerator: [1], denominator: [0.1, 1]}
springs: {k: {type: linear, between: [ground, b], direction: [0, 0, 1], stiffness: = k}}
actuators: {m: {type: torque, joint: h, input: lag}}
analysis: {time: {end: 1, step: 1 ms}}
)";

std::shared_ptr<fmu::TakenModel> takeModel(fmu::Kind kind) {
  auto taken = std::make_shared<fmu::TakenModel>();
  taken->source.file = "m.yaml";
  taken->source.files = std::make_shared<const model::SourceFiles>(
      model::SourceFiles{{{"m.yaml", "m.yaml", kMachine, false}}, true});
  taken->kind = kind;
  taken->inputs = {"u"};
  taken->outputs = {"q"};
  taken->parameters = {{"k", 200.0, true, false}};
  taken->token = "{1}";
  if (kind == fmu::Kind::kModelExchange) {
    const model::Model model = api::loadModel(taken->source, taken->outputs);
    taken->states = fmu::listExchangeStates(model).names;
    taken->indicators = fmu::countIndicators(model);
  }
  return taken;
}

template <class Machine>
std::unique_ptr<Machine> start(fmu::Kind kind) {
  auto machine = std::make_unique<Machine>(takeModel(kind));
  if (machine->initialize(true)) std::abort();
  return machine;
}

fmu::CoSimulation& coSimulation() {
  static const auto machine = start<fmu::CoSimulation>(fmu::Kind::kCoSimulation);
  return *machine;
}

fmu::ModelExchange& modelExchange() {
  static const auto machine = start<fmu::ModelExchange>(fmu::Kind::kModelExchange);
  return *machine;
}

// What a host would ask for next. Exceptions end in the instance, as messages.
void restore(fmu::Machine& machine, const std::string& bytes) {
  try {
    if (machine.restore(bytes)) return;
    static_cast<void>(machine.output(0));
    static_cast<void>(machine.save());
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

void runFmu(const std::string& bytes) {
  const auto file = control::FmuFile::open(putInFile(bytes));
  if (!file) return;
  for (const auto& interface :
       {file.value().description().coSimulation, file.value().description().modelExchange}) {
    if (interface) static_cast<void>(file.value().findBinary(*interface));
  }
  static_cast<void>(file.value().unpack());
}

// In a machine, with a stand-in for its code.
void runFmuDescription(const std::string& bytes) {
  static const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kChecked);
  static const testing::TemporaryFolder folder;
  files::ZipWriter archive(folder.file("a.fmu"));
  archive.add("modelDescription.xml", bytes);
  archive.add("binaries/linux64/a.so", "no code");
  archive.add("binaries/x86_64-linux/a.so", "no code");
  archive.close();
  for (const char* more :
       {"", ", sample: 1 ms", ", kind: me, inputs: {u: 1}, parameters: {k: 2}"}) {
    try {
      model::buildModel(language::readModelText("flexloop: 1\nblocks: {f: {type: fmu, path: " +
                                                    folder.file("a.fmu") + more + "}}\n",
                                                "m.yaml", registry),
                        registry);
    } catch (const base::InputError&) {
      continue;
    }
  }
}

void runFmuState(const std::string& bytes) {
  restore(coSimulation(), bytes);
  restore(modelExchange(), bytes);
}

std::vector<std::string> makeFmuSamples(std::string_view name) {
  if (name == "fmu") return {makeArchive(kDescription)};
  if (name == "fmu_description") return {kDescription};
  return {coSimulation().save(), modelExchange().save()};
}

}  // namespace flexloop::fuzz
