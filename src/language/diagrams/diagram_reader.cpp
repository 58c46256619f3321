#include "language/diagrams/diagram_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "language/item_reader.hpp"
#include "language/parameter_table.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::language {
namespace {

void addNames(const RawNode& node, std::set<std::string>& names) {
  if (const RawScalar* scalar = node.scalar()) {
    const auto uses = math::findExpressionNames(findFormula(node).value_or(scalar->text));
    if (!uses) return;
    for (const math::NameUse& use : uses.value()) names.insert(use.name);
  } else if (const RawList* list = node.list()) {
    for (const RawNode& entry : *list) addNames(entry, names);
  } else if (const RawMap* map = node.map()) {
    for (const RawEntry& entry : *map) addNames(entry.value, names);
  }
}

}  // namespace

void DiagramReader::read(const RawEntry& entry, Diagram& diagram) {
  const std::size_t before = errors_.count();
  subject_ = "diagrams." + entry.key;
  checkItemName("diagrams", entry.key, false, entry.place, errors_);
  if (registry_.find("blocks", entry.key) != nullptr) {
    errors_.add(entry.place, subject_ + ": " + quote(entry.key) + " is already a type of block",
                "choose another name for the diagram");
  }
  const RawMap none;
  const RawMap* map = entry.value.isNull() ? &none : entry.value.map();
  if (map == nullptr) {
    errors_.add(entry.value.place, subject_ + ": expected entries 'key: value'",
                "write '" + entry.key + ": {inputs: [...], outputs: {...}, blocks: {...}}'");
  } else {
    readKeys(*map, diagram);
  }
  diagram.isWrong = errors_.count() != before;
}

void DiagramReader::readKeys(const RawMap& map, Diagram& diagram) {
  checkKeys(map);
  readInputs(findEntry(map, "inputs"), diagram);
  readParameters(findEntry(map, "parameters"), diagram);
  readBlocks(findEntry(map, "blocks"), diagram);
  if (diagram.blocks.empty()) return;
  readOutputs(findEntry(map, "outputs"), diagram);
  collectNames(diagram);
}

void DiagramReader::checkKeys(const RawMap& map) {
  static const std::vector<std::string> known{"inputs", "outputs", "parameters", "blocks"};
  for (const RawEntry& entry : map) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    errors_.addUnknown(entry.place, subject_ + ": unknown key " + quote(entry.key), entry.key,
                       known);
  }
}

void DiagramReader::readInputs(const RawEntry* entry, Diagram& diagram) {
  if (entry == nullptr) return;
  const std::string subject = subject_ + ".inputs";
  for (const RawNode& node : asList(entry->value)) {
    const RawScalar* name = node.scalar();
    if (name == nullptr) {
      errors_.add(
          node.place, subject + ": expected a list of names",
          "write 'inputs: [angle, reference]'; they are connected where the diagram is used");
      continue;
    }
    checkItemName(subject, name->text, true, node.place, errors_);
    if (diagram.findInput(name->text) >= 0) {
      errors_.add(node.place, subject + ": " + quote(name->text) + " is given twice", "remove one");
      continue;
    }
    diagram.inputs.push_back(name->text);
  }
}

void DiagramReader::readParameters(const RawEntry* entry, Diagram& diagram) {
  if (entry == nullptr || entry->value.isNull()) return;
  const std::string subject = subject_ + ".parameters";
  const RawMap* map = entry->value.map();
  if (map == nullptr) {
    errors_.add(entry->value.place, subject + ": expected entries 'name: default'",
                "write 'parameters: {kp: 10, kd: 1}'");
    return;
  }
  for (const RawEntry& parameter : *map) {
    if (checkParameterName(subject, parameter, errors_)) diagram.parameters.push_back(parameter);
  }
}

void DiagramReader::readBlocks(const RawEntry* entry, Diagram& diagram) {
  const RawMap* map = entry != nullptr ? entry->value.map() : nullptr;
  if (map == nullptr || map->empty()) {
    errors_.add(entry != nullptr ? entry->place : diagram.place, subject_ + ": 'blocks' is missing",
                "blocks: entries 'name: {...}', written as in the section 'blocks' of a model");
    return;
  }
  for (const RawEntry& block : *map) {
    checkItemName(subject_ + ".blocks", block.key, true, block.place, errors_);
    if (diagram.findInput(block.key) >= 0) {
      errors_.add(block.place,
                  subject_ + ".blocks: the name " + quote(block.key) + " is also that of an input",
                  "choose another name");
    }
    diagram.blockIndex.emplace(block.key, static_cast<int>(diagram.blocks.size()));
    diagram.blocks.push_back({&block, nullptr});
  }
}

void DiagramReader::readOutputs(const RawEntry* entry, Diagram& diagram) {
  const std::size_t before = errors_.count();
  const RawNode& value = entry != nullptr ? entry->value : RawNode();
  if (const RawMap* map = value.map()) {
    for (const RawEntry& port : *map) {
      const RawScalar* signal = port.value.scalar();
      if (signal == nullptr) {
        errors_.add(port.value.isNull() ? port.place : port.value.place,
                    subject_ + ".outputs." + port.key + ": expected the name of a signal",
                    "write 'outputs: {port: block}', where 'block' is a block of the diagram");
        continue;
      }
      addOutput({port.key, signal->text, port.value.place}, port.place, diagram);
    }
  } else {
    for (const RawNode& node : asList(value)) {
      const RawScalar* name = node.scalar();
      if (name == nullptr) {
        errors_.add(node.place, subject_ + ".outputs: expected the name of a block of the diagram",
                    "write 'outputs: [block]' or 'outputs: {port: block}'");
        continue;
      }
      addOutput({name->text, name->text, node.place}, node.place, diagram);
    }
  }
  if (diagram.outputs.empty() && errors_.count() == before) {
    errors_.add(entry != nullptr ? entry->place : diagram.place,
                subject_ + ": 'outputs' is missing",
                "write 'outputs: {port: block}' with the signals that other blocks may use");
  }
}

void DiagramReader::addOutput(Diagram::Output output, const base::Place& place, Diagram& diagram) {
  const std::string subject = subject_ + ".outputs";
  if (output.name == output.signal && output.name.find('.') != std::string::npos) {
    const std::string port = output.name.substr(output.name.rfind('.') + 1);
    errors_.add(place, subject + ": " + quote(output.name) + " cannot be the name of a port",
                "write '{" + port + ": " + output.signal + "}'");
    return;
  }
  if (!checkOutputSignal(output, diagram)) return;
  checkItemName(subject, output.name, true, place, errors_);
  if (diagram.findOutput(output.name) >= 0) {
    errors_.add(place, subject + ": " + quote(output.name) + " is given twice", "remove one");
    return;
  }
  if (diagram.findInput(output.name) >= 0) {
    errors_.add(place, subject + ": the name " + quote(output.name) + " is also that of an input",
                "choose another name");
  } else if (output.name != output.signal && diagram.findBlock(output.name) != nullptr) {
    errors_.add(
        place,
        subject + ": the name " + quote(output.name) + " is also that of a block of the diagram",
        "choose another name, or write '" + output.name + ": " + output.name + "'");
  }
  diagram.outputs.push_back(std::move(output));
}

bool DiagramReader::checkOutputSignal(const Diagram::Output& output, const Diagram& diagram) {
  const std::string subject = subject_ + ".outputs." + output.name + ": ";
  const std::string owner = output.signal.substr(0, output.signal.find('.'));
  if (diagram.findBlock(owner) != nullptr) return true;
  if (owner.starts_with('-') && diagram.findBlock(owner.substr(1)) != nullptr) {
    errors_.add(output.place, subject + "a sign is not allowed here",
                "negate " + quote(owner.substr(1)) + " with a block");
  } else if (diagram.findInput(owner) >= 0) {
    errors_.add(output.place, subject + quote(owner) + " is an input",
                "an output is the signal of a block of the diagram; use the signal that is "
                "connected to the input instead");
  } else {
    std::vector<std::string> known;
    for (const Diagram::Block& block : diagram.blocks) known.push_back(block.entry->key);
    errors_.addUnknown(output.place,
                       subject + "there is no block " + quote(owner) + " in the diagram", owner,
                       known);
  }
  return false;
}

void DiagramReader::collectNames(Diagram& diagram) const {
  std::set<std::string> names;
  for (const RawEntry& parameter : diagram.parameters) addNames(parameter.value, names);
  for (const Diagram::Block& block : diagram.blocks) addNames(block.entry->value, names);
  diagram.usedNames.assign(names.begin(), names.end());
  const auto addSignal = [&](const std::string& name) {
    if (findEntry(diagram.parameters, name) == nullptr) diagram.signals.push_back(name);
  };
  for (const std::string& input : diagram.inputs) addSignal(input);
  for (const Diagram::Block& block : diagram.blocks) addSignal(block.entry->key);
}

}  // namespace flexloop::language
