#include "support/built_sample.hpp"

#include <filesystem>
#include <string_view>
#include <variant>

#include "control/register.hpp"
#include "fem/parts/part_types.hpp"
#include "language/model_reader.hpp"
#include "mechanics/register.hpp"
#include "model/analysis_types.hpp"
#include "model/instance_types.hpp"
#include "model/sensor_signals.hpp"
#include "support/places.hpp"
#include "system/builder.hpp"

namespace flexloop::test {
namespace {

// Points `beam@fraction` must be known before the beams are made.
void addPoints(const system::Value& value, system::Builder& builder) {
  if (const std::string* name = std::get_if<std::string>(&value.data)) {
    const auto node = system::parseNodeName(*name);
    if (node && node->fraction) builder.addPointReference(node->owner, *node->fraction);
  } else if (const auto* list = std::get_if<system::ValueList>(&value.data)) {
    for (const system::Value& entry : *list) addPoints(entry, builder);
  }
}

void addPoints(const system::Item& item, const system::TypeEntry& type, system::Builder& builder) {
  for (const system::Parameter& parameter : type.parameters) {
    if (item.has(parameter.name)) addPoints(item.at(parameter.name), builder);
  }
}

}  // namespace

const system::Registry& fullRegistry() {
  static const system::Registry registry = [] {
    system::Registry made;
    mechanics::registerMechanics(made);
    fem::registerParts(made);
    control::registerControl(made);
    model::registerInstances(made);
    model::registerAnalyses(made);
    return made;
  }();
  return registry;
}

std::string sampleFile() {
  return (std::filesystem::path(programFile()).parent_path() / "sample.yaml").string();
}

BuiltSample buildSample(const std::string& text) {
  const system::Registry& registry = fullRegistry();
  const model::Description description = language::readModelText(text, sampleFile(), registry);
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics, &registry);
  builder.setGravity(description.gravity);
  for (const system::Item& item : description.items) {
    builder.declare(item);
    addPoints(item, *registry.find(item.section(), item.type()), builder);
  }
  for (const std::string_view section :
       {"materials", "sections", "nodes", "beams", "parts", "bodies", "blocks", "joints", "springs",
        "loads", "contacts", "actuators", "sensors"}) {
    for (const system::Item& item : description.items) {
      if (item.section() != section) continue;
      const system::TypeEntry* type = registry.find(item.section(), item.type());
      if (type->make) type->make(item, builder);
    }
  }
  model::connectSensors(builder);
  if (diagnostics.hasErrors()) throw base::InputError(diagnostics);
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  system::System system = builder.finish(measures);
  return {std::move(system), std::move(measures)};
}

}  // namespace flexloop::test
