#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "control/algebra.hpp"
#include "control/block_maker.hpp"
#include "control/block_samples.hpp"
#include "control/block_types.hpp"
#include "control/clock_parameters.hpp"
#include "control/continuous_box.hpp"
#include "control/nonlinear_box.hpp"
#include "control/sampled_box.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::numbers;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

namespace fs = std::filesystem;
using Kind = BoxSettings::Kind;

// A relative path starts at the file that names it; without a file, as from the command line, at the
// working directory.
std::string resolvePath(const Item& item) {
  const base::Place& place = item.placeOf("path");
  const fs::path folder = place.file != nullptr ? fs::path(*place.file).parent_path() : fs::path();
  return (folder / item.text("path")).string();
}

// The ports must differ, or a signal would have two owners.
bool checkPorts(const Item& item, const std::vector<std::string>& ports, Builder& builder) {
  std::set<std::string> seen;
  for (const std::string& port : ports) {
    const bool isName = !port.empty() && port.find_first_of(" .,:@-") == std::string::npos;
    if (!isName) {
      fail(builder, item, "outputs", "'" + port + "' cannot be the name of an output",
           "a name has letters, digits and '_'");
    } else if (!seen.insert(port).second) {
      fail(builder, item, "outputs", "the output '" + port + "' is given twice");
    } else {
      continue;
    }
    return false;
  }
  if (!ports.empty()) return true;
  fail(builder, item, "outputs", "the box has no outputs", "name at least one");
  return false;
}

// What a maker of a box needs; null if the box cannot be had.
struct OpenBox {
  std::vector<BlockInput> inputs;
  std::vector<std::string> ports;
  std::unique_ptr<BoxRunner> runner;
};

OpenBox openBox(const Item& item, Kind kind, Builder& builder) {
  OpenBox open{inputsOf(item, "inputs", builder), item.names("outputs"), nullptr};
  if (!checkPorts(item, open.ports, builder)) return open;
  const BoxSettings settings{.name = item.name(),
                             .path = resolvePath(item),
                             .config = item.has("config") ? item.text("config") : "",
                             .kind = kind,
                             .inputs = static_cast<int>(open.inputs.size()),
                             .outputs = static_cast<int>(open.ports.size()),
                             .states = kind == Kind::kNonlinear ? item.integer("states") : 0,
                             .isolate = item.boolean("isolate", false),
                             .timeLimit = item.number("time_limit")};
  const auto box = Box::open(settings);
  if (box) {
    open.runner = std::make_unique<BoxRunner>(box.value());
  } else {
    fail(builder, item, "path", box.failure().message, box.failure().hint);
  }
  return open;
}

// The only output has two names: that of the block, and that of its port.
void addBox(const Item& item, std::unique_ptr<Block> block, const OpenBox& open,
            const BlockStart& start, Builder& builder) {
  if (open.ports.size() > 1) {
    return addBlock(item, std::move(block), open.inputs, builder, start, open.ports);
  }
  addBlock(item, std::move(block), open.inputs, builder, start);
  const std::string port = item.name() + "." + open.ports.front();
  BlockSet::Wiring wiring;
  wiring.inputs = {{builder.findSignal(item.name()), 1.0}};
  wiring.outputs = {builder.defineSignal(port, port)};
  builder.elementSet<BlockSet>().add(port, std::make_unique<Sum>(1), wiring);
}

void makeLibrary(const Item& item, Builder& builder) {
  const OpenBox open = openBox(item, Kind::kLibrary, builder);
  if (open.runner == nullptr) return;
  BoxRunner& runner = *open.runner;
  std::vector<double> memory;
  if (runner.canRestore() && !runner.save(memory)) {
    return fail(builder, item, "path", runner.firstFault().message, runner.firstFault().hint);
  }
  BlockStart start;
  if (!item.has("sample")) {
    if (runner.canRestore()) start.record = ContinuousBox::makeRecord(memory);
    return addBox(item, std::make_unique<ContinuousBox>(std::move(runner)), open, start, builder);
  }
  start.record = memory;
  if (item.has("initial")) start.memory = item.numbers("initial");
  if (!start.memory.empty() && start.memory.size() != open.ports.size()) {
    return fail(builder, item, "initial",
                "'initial' has " + std::to_string(start.memory.size()) + " entries and there are " +
                    std::to_string(open.ports.size()) + " outputs");
  }
  start.outputs = start.memory;
  addBox(item, std::make_unique<SampledBox>(clockOf(item, builder), std::move(runner)), open, start,
         builder);
}

void makeNonlinear(const Item& item, Builder& builder) {
  const OpenBox open = openBox(item, Kind::kNonlinear, builder);
  if (open.runner == nullptr) return;
  BlockStart start;
  const int states = item.integer("states");
  if (item.has("x0")) start.states = item.numbers("x0");
  if (item.has("x0") && static_cast<int>(start.states.size()) != states) {
    return fail(builder, item, "x0",
                "'x0' has " + std::to_string(start.states.size()) + " entries and there are " +
                    std::to_string(states) + " states");
  }
  addBox(item,
         std::make_unique<NonlinearBox>(std::move(*open.runner), item.boolean("feedthrough", true)),
         open, start, builder);
}

std::vector<Parameter> boxParameters() {
  const Parameter outputs{.name = "outputs",
                          .shape = system::Shape::kTexts,
                          .doc =
                              "names of its outputs, in its order: the signals NAME.OUTPUT, and "
                              "NAME itself where there is one",
                          .required = true};
  return {
      required(system::text("path", "the shared library, relative to this file")),
      required(system::signals("inputs", "its inputs, in its order; -NAME is negative")),
      outputs,
      withNote(system::text("config", "text that is handed to block_create"), "an empty text"),
      system::boolean("isolate", "run it in a process of its own, out of reach of this program"),
      withDefault(
          positive(system::number("time_limit", base::kTime, "what one call may take, real time")),
          "5 s")};
}

void registerLibrary(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "library",
       .doc = "A controller in a shared library, called by block_output of flexloop_block.h: at "
              "every instant of its clock or, without 'sample', all the time.",
       .parameters =
           joined(boxParameters(),
                  {withNote(samplePeriod(), "no clock: part of the equations"), sampleOffset(),
                   withNote(anyUnit(numbers("initial", base::kDimensionless,
                                            "outputs before the first instant")),
                            "zero")}),
       .make = makeLibrary,
       .samples = {blockSample("  y: {type: library, path: ./boxes/pi.so, inputs: [p], outputs: "
                               "[force], sample: 1 ms, config: \"100 20\"}\n"),
                   blockSample("  y: {type: library, path: ./boxes/pi.so, inputs: [-p], outputs: "
                               "[force], config: \"100 20\"}\n"),
                   blockSample("  box: {type: library, path: ./boxes/cubic.so, inputs: [p, q], "
                               "outputs: [sum, product], isolate: true, time_limit: 60 s}\n"
                               "  y: {type: sum, inputs: [box.sum, box.product]}\n")}});
}

void registerNonlinear(system::Registry& registry) {
  Parameter states{.name = "states",
                   .shape = system::Shape::kInteger,
                   .doc = "how many states it has",
                   .required = true,
                   .lower = 0.0};
  Parameter feedthrough = system::boolean(
      "feedthrough",
      "whether outputs depend on the inputs of the same time; false lets a sampled controller be "
      "closed around it");
  feedthrough.defaultText = "true";
  registry.add(
      {.section = "blocks",
       .type = "nonlinear",
       .doc = "x' = f(t, x, u), y = h(t, x, u) in a shared library: block_derivative, "
              "block_nonlinear_output and, if it has one, block_jacobian of flexloop_block.h.",
       .parameters = joined(
           boxParameters(),
           {std::move(states),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the start")), "zero"),
            std::move(feedthrough)}),
       .make = makeNonlinear,
       .samples = {
           blockSample("  box: {type: nonlinear, path: ./boxes/pendulum.so, inputs: [p, q], "
                       "outputs: [angle, product, time], states: 2, x0: [0.3, 0]}\n"
                       "  y: {type: sum, inputs: [box.angle, box.product, box.time]}\n"),
           blockSample("  y: {type: nonlinear, path: ./boxes/lag.so, inputs: [p], outputs: "
                       "[x], states: 1, feedthrough: false}\n")}});
}

}  // namespace

bool isBoxType(std::string_view type) {
  return type == "library" || type == "nonlinear";
}

void makeBoxStandIn(const Item& item, Builder& builder) {
  const OpenBox closed{inputsOf(item, "inputs", builder), item.names("outputs"), nullptr};
  if (!checkPorts(item, closed.ports, builder)) return;
  const auto nothing = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(closed.ports.size()),
                                             static_cast<Eigen::Index>(closed.inputs.size()));
  addBox(item, std::make_unique<Gain>(nothing), closed, {}, builder);
}

void registerBoxes(system::Registry& registry) {
  registerLibrary(registry);
  registerNonlinear(registry);
}

}  // namespace flexloop::control
