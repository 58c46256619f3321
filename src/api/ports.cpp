#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "api/driven_model.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "base/nearest_word.hpp"
#include "model/build.hpp"
#include "model/model_with_inputs.hpp"

namespace flexloop::api {
namespace {

using system::Item;

bool isSignalSection(const std::string& section) {
  return section == "sensors" || section == "blocks" || section == "actuators";
}

// A load is scaled by a number; so that it can be an input, a constant of its own name scales it.
void giveSignal(Item& load, model::Description& description) {
  double factor = 1.0;
  for (system::NamedValue& entry : load.values()) {
    if (entry.name != "signal") continue;
    if (const auto* signal = std::get_if<std::string>(&entry.value.data)) {
      throw base::InputError(load.place(),
                             "loads." + load.name() + " has the signal '" + *signal + "'",
                             "use that signal as the input");
    }
    factor = std::get<double>(entry.value.data);
  }
  std::erase_if(load.values(), [](const auto& entry) { return entry.name == "signal"; });
  load.values().push_back({"signal", {load.place(), load.name()}});
  Item source("blocks", load.name(), "constant", load.place(), {{"value", {load.place(), factor}}});
  description.items.push_back(std::move(source));
}

// Takes those names that are loads out of the list.
void giveSignals(model::Description& description, std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) {
    const auto isNamed = [&](const Item& item) { return item.name() == name; };
    const auto load =
        std::find_if(description.items.begin(), description.items.end(),
                     [&](const Item& item) { return item.section() == "loads" && isNamed(item); });
    if (load == description.items.end()) return false;
    const bool isSignal = std::any_of(
        description.items.begin(), description.items.end(),
        [&](const Item& item) { return isSignalSection(item.section()) && isNamed(item); });
    if (isSignal) return false;
    giveSignal(*load, description);
    return true;
  });
}

// The builder knows the nearest signal, but not that a load can be an input.
void suggestLoads(const model::Description& description, const std::vector<std::string>& names) {
  std::vector<std::string> known, loads;
  for (const Item& item : description.items) {
    if (isSignalSection(item.section())) known.push_back(item.name());
    if (item.section() == "loads") loads.push_back(item.name());
  }
  for (const std::string& name : names) {
    if (name.find('.') != std::string::npos || base::findNearestWord(name, known)) continue;
    const std::optional<std::string> nearest = base::findNearestWord(name, loads);
    if (!nearest) continue;
    throw base::InputError({}, "there is no signal or load named '" + name + "'",
                           "did you mean '" + *nearest + "'?");
  }
}

// With the signals of these names.
void addPorts(model::Description& description, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  giveSignals(description, names);
  suggestLoads(description, names);
  description.wantedSignals = std::move(names);
}

// Sensors that are described among the outputs stay.
void recordPorts(model::Description& description) {
  for (model::OutputRequest& output : description.outputs) {
    if (auto* item = std::get_if<Item>(&output.what)) description.items.push_back(std::move(*item));
  }
  description.outputs.clear();
  for (const std::string& name : description.wantedSignals) {
    description.outputs.push_back({{}, name});
  }
  description.outputsGiven = true;
}

}  // namespace

model::Model loadModelWithPorts(const ModelSource& source, std::vector<std::string> names) {
  const std::shared_ptr<const system::Registry> registry = findRegistry(source.files);
  model::Description description = readDescription(source, *registry);
  addPorts(description, std::move(names));
  return model::buildModel(std::move(description), *registry);
}

model::Model loadDrivenModel(const ModelSource& source, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
  const std::shared_ptr<const system::Registry> registry = findRegistry(source.files);
  model::Description description = readDescription(source, *registry);
  std::vector<std::string> names = inputs;
  names.insert(names.end(), outputs.begin(), outputs.end());
  addPorts(description, std::move(names));
  recordPorts(description);
  return model::buildModelWithInputs(std::move(description), *registry, inputs);
}

}  // namespace flexloop::api
