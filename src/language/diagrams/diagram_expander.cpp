#include "language/diagrams/diagram_expander.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace flexloop::language {

void DiagramExpander::expand(const RawEntry& use, const std::string& path, const Diagram& diagram,
                             const InstanceScope* instance, std::vector<system::Item>& items) {
  if (diagram.isWrong) return;
  const std::string owner = "blocks." + use.key;
  if (instance == nullptr) checkItemName("blocks", use.key, true, use.place, errors_);
  size_ += diagram.size;
  if (size_ > kMostDiagramBlocks) {
    errors_.add(use.place,
                owner + ": the diagrams expand to more than " + std::to_string(kMostDiagramBlocks) +
                    " blocks",
                "the number of blocks multiplies where diagrams use others several times");
    return;
  }
  expandUse({use, diagram, path, owner, nullptr, instance}, items);
}

void DiagramExpander::expandUse(const Use& use, std::vector<system::Item>& items) {
  uses_.add(use.path, use.diagram);
  DiagramScope inside(use.diagram, use.path, readers_.model, errors_);
  connect(use, inside);
  const ParameterTable::Given given = readParameters(use);
  const ErrorContext context(errors_, use.owner + " (diagram " + use.diagram.name + "): ");
  inside.parameters = ParameterTable(use.diagram.parameters, given, parametersOf(use.instance),
                                     use.diagram.usedNames, errors_);
  const ValueReader::Scope before =
      readers_.values.enter({&inside.parameters, &use.diagram.signals});
  expandBlocks(inside, use.instance, items);
  readers_.values.enter(before);
  uses_.addOutputs(use.path);
}

void DiagramExpander::expandBlocks(const DiagramScope& inside, const InstanceScope* instance,
                                   std::vector<system::Item>& items) {
  for (const Diagram::Block& block : inside.diagram().blocks) {
    const RawEntry& entry = *block.entry;
    const std::string path = inside.path() + "." + entry.key;
    if (block.diagram != nullptr) {
      if (block.diagram->isWrong) continue;
      expandUse({entry, *block.diagram, path, entry.key, &inside, instance}, items);
      continue;
    }
    std::optional<system::Item> item = readers_.items.readInner(entry, path);
    if (!item) continue;
    const system::TypeEntry& type = *readers_.registry.find("blocks", item->type());
    inside.replaceSignals(item->values(), type.parameters, entry.key);
    items.push_back(std::move(*item));
  }
}

// Gives the keys that were probably meant by those that are not known.
std::vector<std::string> DiagramExpander::checkKeys(const Use& use) {
  static const std::vector<std::string> known{"type", "inputs", "parameters"};
  std::vector<std::string> meant;
  for (const RawEntry& entry : *use.entry.value.map()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    meant.push_back(errors_.addUnknown(entry.place, use.owner + ": unknown key " + quote(entry.key),
                                       entry.key, known));
  }
  return meant;
}

const RawMap* DiagramExpander::findMap(const Use& use, const char* key,
                                       const std::string& example) {
  static const RawMap none;
  const RawEntry* entry = findEntry(*use.entry.value.map(), key);
  if (entry == nullptr || entry->value.isNull()) return &none;
  if (entry->value.map() == nullptr) {
    errors_.add(entry->value.place,
                use.owner + "." + key + ": expected entries 'name: value' in { }",
                "write '" + std::string(key) + ": {" + example + "}'");
  }
  return entry->value.map();
}

void DiagramExpander::connect(const Use& use, DiagramScope& inside) {
  const Diagram& diagram = use.diagram;
  SignalMeaning missing;
  missing.isWrong = true;
  inside.inputs.assign(diagram.inputs.size(), missing);
  const std::vector<std::string> keys = checkKeys(use);
  std::string example;
  for (const std::string& input : diagram.inputs) {
    example += (example.empty() ? "" : ", ") + input + ": ...";
  }
  const RawMap* map = findMap(use, "inputs", example);
  if (map == nullptr) return;
  std::vector<std::string> meant;  // by names that are misspelt
  for (const RawEntry& connection : *map) {
    const int input = diagram.findInput(connection.key);
    if (input >= 0) {
      inside.inputs[input] = readConnection(use, connection);
    } else {
      meant.push_back(reportUnknown(use, "input", connection, diagram.inputs));
    }
  }
  if (std::find(keys.begin(), keys.end(), "inputs") != keys.end()) return;
  for (const std::string& input : diagram.inputs) {
    if (findEntry(*map, input) != nullptr) continue;
    if (std::find(meant.begin(), meant.end(), input) != meant.end()) continue;
    errors_.add(use.entry.place,
                use.owner + ": the input " + quote(input) + " of diagram " + quote(diagram.name) +
                    " is not connected",
                "add '" + input + ": ...' with a signal or a number to 'inputs'");
  }
}

SignalMeaning DiagramExpander::readConnection(const Use& use, const RawEntry& connection) {
  const RawNode& node = connection.value;
  const std::string owner = use.owner + ".inputs";
  const Subject subject{owner, connection.key};
  SignalMeaning meaning;
  const std::string text = node.scalar() != nullptr ? node.scalar()->text : std::string();
  if (text.find_first_not_of("- ") == std::string::npos) {
    errors_.add(node.isNull() ? connection.place : node.place,
                subject.text() + ": expected the name of a signal, or a number",
                node.isNull() ? "its value is missing" : "write a single word or number");
    meaning.isWrong = true;
  } else if (isConstantSignal(node)) {
    const std::optional<base::Quantity> number =
        parametersAround(use).readQuantity(node, subject, errors_);
    meaning.isWrong = !number;
    meaning.number = number.value_or(base::Quantity());
  } else if (use.outside != nullptr) {
    meaning = use.outside->find(text, node.place, subject);
  } else {
    const std::string name = use.instance != nullptr ? use.instance->signalName(text) : text;
    meaning.isNegative = name.starts_with('-');
    meaning.signal = name.substr(meaning.isNegative ? 1 : 0);
  }
  meaning.place = node.place;
  if (!meaning.isWrong && !meaning.signal.empty()) {
    uses_.addConnection({node.place, use.path, connection.key, meaning.signal});
  }
  return meaning;
}

ParameterTable::Given DiagramExpander::readParameters(const Use& use) {
  const RawMap& defaults = use.diagram.parameters;
  std::vector<std::string> known;
  for (const RawEntry& parameter : defaults) known.push_back(parameter.key);
  ParameterTable::Given given;
  const RawMap* map = findMap(use, "parameters", "name: number");
  const std::string owner = use.owner + ".parameters";
  for (const RawEntry& entry : map != nullptr ? *map : RawMap()) {
    if (findEntry(defaults, entry.key) == nullptr) {
      given.emplace(reportUnknown(use, "parameter", entry, known), std::nullopt);
      continue;
    }
    const std::optional<base::Quantity> value =
        parametersAround(use).readQuantity(entry.value, {owner, entry.key}, errors_);
    given[entry.key] = value;
  }
  for (const RawEntry& parameter : defaults) {
    if (!parameter.value.isNull() || !given.emplace(parameter.key, std::nullopt).second) continue;
    errors_.add(use.entry.place,
                use.owner + ": the parameter " + quote(parameter.key) + " of diagram " +
                    quote(use.diagram.name) + " is not given",
                "it has no default: add '" + parameter.key + ": ...' to 'parameters'");
  }
  return given;
}

std::string DiagramExpander::reportUnknown(const Use& use, const std::string& kind,
                                           const RawEntry& entry,
                                           const std::vector<std::string>& known) {
  const std::string message = use.owner + "." + kind + "s: the diagram " + quote(use.diagram.name) +
                              " has no " + kind + " " + quote(entry.key);
  if (!known.empty()) return errors_.addUnknown(entry.place, message, entry.key, known);
  errors_.add(entry.place, message, "it has none");
  return {};
}

const ParameterTable& DiagramExpander::parametersAround(const Use& use) const {
  return use.outside != nullptr ? use.outside->parameters : parametersOf(use.instance);
}

const ParameterTable& DiagramExpander::parametersOf(const InstanceScope* instance) const {
  return instance != nullptr ? instance->parameters : readers_.parameters;
}

}  // namespace flexloop::language
