#include "control/boxes/fmu/fmu_maker.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "control/boxes/box_item.hpp"
#include "control/boxes/box_stand_in.hpp"
#include "control/boxes/fmu/co_simulation_box.hpp"
#include "control/boxes/fmu/exchange_box.hpp"
#include "control/boxes/fmu/fmu_code.hpp"
#include "control/boxes/fmu/fmu_wiring.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

namespace {

struct FmuParts {
  FmuFile file;
  std::string binary;  // in the archive
  FmuWiring wiring;
  BoxSettings settings;

  const FmuDescription& fmu() const { return wiring.fmu; }
  const FmuInterface& interface() const { return *fmu().find(wiring.kind); }
  bool isExchange() const { return wiring.kind == FmuKind::kModelExchange; }
};

std::optional<FmuParts> readFmu(const Item& item, Builder& builder) {
  const auto failBy = [&](const base::Failure& failure) {
    fail(builder, item, "path", failure.message, failure.hint);
    return std::nullopt;
  };
  const std::string path = resolvePath(item);
  auto file = FmuFile::open(path);
  if (!file) return failBy(file.failure());
  const FmuDescription& fmu = file.value().description();
  auto wiring = wireFmu(item, fmu, builder);
  if (!wiring) return std::nullopt;
  const auto binary = file.value().findBinary(*fmu.find(wiring->kind));
  if (!binary) return failBy(binary.failure());
  FmuParts parts{file.value(), binary.value(), std::move(*wiring), {}};
  parts.settings = {
      .name = item.name(),
      .path = path,
      .config = {},
      .kind = parts.isExchange() ? BoxSettings::Kind::kNonlinear : BoxSettings::Kind::kLibrary,
      .inputs = static_cast<int>(parts.wiring.inputs.size()),
      .outputs = static_cast<int>(parts.wiring.ports.size())};
  if (parts.isExchange()) {
    parts.settings.states = parts.fmu().countOf(fmu.states);
    parts.settings.indicators = parts.fmu().indicatorCount();
    for (const int state : fmu.states) {
      if (fmu.variables[state].type == FmuType::kFloat64) continue;
      fail(builder, item, "path",
           "the state '" + fmu.variables[state].name + "' of the FMU is not of type Float64",
           "this is not supported: use co-simulation, or states of type Float64");
      return std::nullopt;
    }
  }
  readIsolation(item, parts.settings, builder);
  if (parts.interface().isOnlyOnce && !parts.settings.isolate) {
    fail(builder, item, "isolate", "there can be only one instance of the FMU in a process",
         "remove 'isolate: false'");
    return std::nullopt;
  }
  // Before anything of these sizes is made.
  if (auto failure = Box::check(parts.settings)) return failBy(*failure);
  return parts;
}

// Directional derivatives are those of numbers of type Float64.
bool haveDerivatives(const FmuParts& parts) {
  const auto isSmooth = [&](int variable) {
    return parts.fmu().variables[variable].type == FmuType::kFloat64;
  };
  return parts.interface().hasDirectionalDerivatives &&
         std::all_of(parts.wiring.inputVariables.begin(), parts.wiring.inputVariables.end(),
                     isSmooth) &&
         std::all_of(parts.wiring.outputVariables.begin(), parts.wiring.outputVariables.end(),
                     isSmooth);
}

FmuPlan makePlan(const FmuParts& parts, const std::string& folder) {
  const FmuDescription& fmu = parts.fmu();
  FmuPlan plan{.version = fmu.version,
               .kind = parts.wiring.kind,
               .instance = parts.settings.name,
               .binary = folder + "/" + parts.binary,
               .resources = folder + "/resources",
               .token = fmu.token,
               .structure = parts.wiring.structure,
               .starts = parts.wiring.starts,
               .canRestore = parts.interface().canRestore,
               .canSerialize = parts.interface().canSerialize,
               .sample = parts.wiring.sample};
  for (const int v : parts.wiring.inputVariables) plan.inputs.push_back(portOf(fmu.variables[v]));
  for (const int v : parts.wiring.outputVariables) plan.outputs.push_back(portOf(fmu.variables[v]));
  if (!parts.isExchange()) return plan;
  plan.states = parts.settings.states;
  plan.indicators = parts.settings.indicators;
  plan.startInputs = parts.wiring.startInputs;
  plan.hasDirectionalDerivatives = haveDerivatives(parts);
  for (const int v : fmu.states) {
    plan.stateReferences.push_back(fmu.variables[v].reference);
    plan.stateCounts.push_back(fmu.variables[v].count());
  }
  for (const FmuUnknown& d : fmu.derivatives) {
    plan.derivativeReferences.push_back(fmu.variables[d.variable].reference);
  }
  return plan;
}

// Of each number of variables: the variable.
std::vector<int> numbersOf(const FmuDescription& fmu, const std::vector<int>& variables) {
  std::vector<int> numbers;
  for (const int v : variables) numbers.insert(numbers.end(), fmu.variables[v].count(), v);
  return numbers;
}

std::vector<bool> findUses(const FmuParts& parts) {
  const FmuDescription& fmu = parts.fmu();
  std::vector<int> columns = numbersOf(fmu, fmu.states);
  for (const int input : numbersOf(fmu, parts.wiring.inputVariables)) columns.push_back(input);
  std::vector<bool> uses;
  for (const FmuUnknown& d : fmu.derivatives) {
    const std::vector<bool> used = findUsed(fmu, fmu.derivatives, d.variable);
    for (int k = 0; k < fmu.variables[d.variable].count(); ++k) {
      for (const int c : columns) uses.push_back(used[c]);
    }
  }
  for (const int output : numbersOf(fmu, parts.wiring.outputVariables)) {
    const std::vector<bool> used = findUsed(fmu, fmu.outputs, output);
    // An output may be a state itself.
    for (const int c : columns) uses.push_back(output == c || used[c]);
  }
  return uses;
}

// Whether an output at the start follows from an input at the start.
bool hasFeedthrough(const Item& item, const FmuParts& parts) {
  if (item.has("feedthrough")) return item.boolean("feedthrough", true);
  for (const int output : parts.wiring.outputVariables) {
    const std::vector<bool> used = findUsed(parts.fmu(), parts.fmu().outputs, output);
    for (const int input : parts.wiring.inputVariables) {
      if (used[input]) return true;
    }
  }
  return false;
}

void addCoSimulation(const Item& item, const FmuParts& parts, BoxRunner runner, Builder& builder) {
  BlockStart start;
  start.memory = CoSimulationBox::makeMemory(parts.settings.outputs, parts.wiring.startInputs);
  if (runner.canRestore() && !runner.save(start.record)) {
    return fail(builder, item, "path", runner.firstFault().message, runner.firstFault().hint);
  }
  const int clock = builder.addClock({parts.wiring.sample, 0.0});
  addBox(item,
         std::make_unique<CoSimulationBox>(clock, std::move(runner), hasFeedthrough(item, parts)),
         parts.wiring.inputs, parts.wiring.ports, start, builder);
}

void addExchange(const Item& item, const FmuParts& parts, BoxRunner runner, Builder& builder) {
  BlockStart start;
  start.states.resize(parts.settings.states);
  const std::vector<double> x(parts.settings.states), u(parts.settings.inputs);
  const BoxTrial trial{0.0, x, u, start.states};
  const bool ok = (!runner.canRestore() || runner.save(start.record)) &&
                  (x.empty() || runner.ask(BoxFunction::kInitialStates, trial, start.record));
  if (!ok) {
    return fail(builder, item, "path", runner.firstFault().message, runner.firstFault().hint);
  }
  addBox(item,
         std::make_unique<ExchangeBox>(
             std::move(runner),
             ExchangeBox::Settings{findUses(parts), parts.interface().needsStepDone}),
         parts.wiring.inputs, parts.wiring.ports, start, builder);
}

}  // namespace

void makeFmu(const Item& item, Builder& builder) {
  std::optional<FmuParts> parts = readFmu(item, builder);
  if (!parts) return;
  const auto folder = parts->file.unpack();
  if (!folder) return fail(builder, item, "path", folder.failure().message, folder.failure().hint);
  parts->settings.form =
      std::make_shared<FmuForm>(makePlan(*parts, folder.value()->path()), folder.value());
  std::optional<BoxRunner> runner = openBox(item, parts->settings, builder);
  if (!runner) return;
  if (parts->isExchange()) return addExchange(item, *parts, std::move(*runner), builder);
  addCoSimulation(item, *parts, std::move(*runner), builder);
}

void makeFmuStandIn(const Item& item, Builder& builder) {
  const std::optional<FmuParts> parts = readFmu(item, builder);
  if (!parts) return;
  const BoxSettings& s = parts->settings;
  if (!parts->isExchange()) {
    const int clock = builder.addClock({parts->wiring.sample, 0.0});
    return addBox(item, std::make_unique<SampledStandIn>(clock, s.inputs, s.outputs),
                  parts->wiring.inputs, parts->wiring.ports, {}, builder);
  }
  const BlockSize size{.inputs = s.inputs, .states = s.states, .outputs = s.outputs};
  addBox(item, std::make_unique<BoxStandIn>(size, true), parts->wiring.inputs, parts->wiring.ports,
         {}, builder);
}

}  // namespace flexloop::control
