#include "language/references.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "language/item_reader.hpp"
#include "language/signal_formula.hpp"

namespace flexloop::language {

using system::Shape;
using system::Value;
using system::ValueList;
using system::ValueMap;

namespace {

bool isNodeShape(Shape shape) {
  return shape == Shape::kNode || shape == Shape::kNodePair || shape == Shape::kNodes;
}

// The outputs that a block lists, or gives formulas for.
std::vector<std::string> portsOf(const system::Item& block) {
  const Value* outputs = block.find("outputs");
  if (outputs == nullptr) return {};
  const ValueMap* map = std::get_if<ValueMap>(&outputs->data);
  if (map == nullptr) return block.names("outputs");
  std::vector<std::string> ports;
  for (const auto& [port, formula] : *map) ports.push_back(port);
  return ports;
}

// A name as it is written inside the use of a diagram.
std::string nameIn(std::string_view scope, const std::string& name) {
  const bool isInside = !scope.empty() && name.starts_with(std::string(scope) + ".");
  return isInside ? name.substr(scope.size() + 1) : name;
}

std::string withoutCoordinate(const std::string& name) {
  for (const std::string_view coordinate : {".rotation", ".translation"}) {
    if (name.ends_with(coordinate)) return name.substr(0, name.size() - coordinate.size());
  }
  return name;
}

}  // namespace

References::References(const RawModel& model, model::Description& description,
                       const system::Registry& registry, const DiagramUses& uses,
                       const InstanceExpander& instances, ErrorList& errors)
    : description_(description),
      registry_(registry),
      uses_(uses),
      instances_(instances),
      errors_(errors) {
  collectNames(model);
  for (const system::Item& item : description.items) {
    items_.emplace(item.section() + "." + item.name(), &item);
  }
}

void References::collectNames(const RawModel& model) {
  for (const RawSection& section : model.sections) {
    if (!hasItems(section.name)) continue;
    std::vector<std::string>& names = namesOf_[section.name];
    for (const RawEntry& entry : section.entries) {
      names.push_back(entry.key);
      if (sharesSignalNames(section.name)) collectSignal(entry.key, entry.place);
    }
  }
  for (const PlacedEntry& placed : instances_.entries()) {
    namesOf_[placed.section].push_back(placed.name);
    if (sharesSignalNames(placed.section)) collectSignal(placed.name, placed.entry->place);
  }
  for (const auto& [section, names] : namesOf_) {
    const std::string prefix = section + ".";
    for (const std::string& name : names) isThere_.insert(prefix + name);
  }
  for (const model::OutputRequest& output : description_.outputs) {
    if (const auto* item = std::get_if<system::Item>(&output.what)) {
      collectSignal(item->name(), item->place());
    }
  }
  forgiven_.insert(model.forgivenNames.begin(), model.forgivenNames.end());
}

void References::collectSignal(const std::string& name, const base::Place& place) {
  const auto [first, isNew] = signals_.try_emplace(name, place);
  if (isNew) {
    signalNames_.push_back(name);
    return;
  }
  errors_.add(
      place, "the name " + quote(name) + " is already in use",
      "sensors, blocks, actuators and outputs share one set of names; the first use is at " +
          base::toText(first->second));
}

void References::check() {
  checkConnections();
  for (system::Item& item : description_.items) checkItem(item);
  checkOutputs();
  for (const system::Item& item : description_.items) {
    if (item.section() != "blocks") continue;
    std::string signal = withOnlyPort(item.name());
    if (signal != item.name())
      description_.signalNames.emplace_back(item.name(), std::move(signal));
  }
  for (const auto& [name, signal] : uses_.names()) {
    description_.signalNames.emplace_back(name, withOnlyPort(signal));
  }
}

// What is wrong with a connection is reported here; the blocks that read the input report nothing.
void References::checkConnections() {
  for (const DiagramUses::Connection& connection : uses_.connections()) {
    const std::string_view scope = uses_.scopeOf(connection.use);
    const std::string owner =
        (scope.empty() ? "blocks." + connection.use : connection.use.substr(scope.size() + 1)) +
        ".inputs";
    const std::size_t before = errors_.count();
    const ErrorContext context(errors_, uses_.contextOf(scope));
    checkUnsigned(connection.signal, {connection.place, {owner, connection.input}, scope});
    if (errors_.count() != before) wrongConnections_.insert(connection.signal);
  }
}

void References::checkOutputs() {
  for (model::OutputRequest& output : description_.outputs) {
    if (auto* item = std::get_if<system::Item>(&output.what)) {
      checkItem(*item);
      continue;
    }
    // The record has the name that was asked for.
    const std::string& name = std::get<std::string>(output.what);
    std::string signal = checkSignal(name, false, {output.place, {"outputs", ""}, {}, true});
    if (signal != name) description_.signalNames.emplace_back(name, std::move(signal));
  }
}

void References::checkItem(system::Item& item) {
  const std::string& name = item.name();
  Around around;
  if (item.section() == "blocks") around.scope = uses_.scopeOf(name);
  if (!around.scope.empty()) {
    const ErrorContext context(errors_, uses_.contextOf(around.scope));
    return checkValues(item, name.substr(around.scope.size() + 1), around);
  }
  if (!instances_.empty()) around.instance = instances_.findAround(name);
  if (around.instance == nullptr) return checkValues(item, item.section() + "." + name, around);
  const ErrorContext context(errors_, around.instance->context());
  const std::string own = name.substr(around.instance->path().size() + 1);
  checkValues(item, item.section() + "." + own, around);
}

void References::checkValues(system::Item& item, const std::string& owner, const Around& around) {
  const system::TypeEntry* type = registry_.find(item.section(), item.type());
  for (auto& [key, value] : item.values()) {
    const auto parameter = std::find_if(type->parameters.begin(), type->parameters.end(),
                                        [&, &name = key](const auto& p) { return p.name == name; });
    if (parameter != type->parameters.end()) checkValue(value, *parameter, {owner, key}, around);
  }
}

void References::checkValue(Value& value, const system::Parameter& parameter,
                            const Subject& subject, const Around& around) {
  if (ValueList* list = std::get_if<ValueList>(&value.data)) {
    for (Value& entry : *list) {
      if (std::holds_alternative<std::string>(entry.data)) {
        checkValue(entry, parameter, subject, around);
      }
    }
  } else if (ValueMap* map = std::get_if<ValueMap>(&value.data)) {
    const std::string owner = subject.text();
    for (auto& [key, inner] : *map) {
      if (parameter.shape == Shape::kNamedSignals) checkValue(inner, parameter, subject, around);
      if (parameter.shape == Shape::kByName) {
        checkValue(inner, parameter.fields.front(), {owner, key}, around);
        continue;
      }
      const auto field = std::find_if(parameter.fields.begin(), parameter.fields.end(),
                                      [&, &name = key](const auto& f) { return f.name == name; });
      if (field != parameter.fields.end()) checkValue(inner, *field, {owner, key}, around);
    }
  } else if (std::string* name = std::get_if<std::string>(&value.data)) {
    const Use use{value.place, subject, around.scope, false, around.instance};
    if (isNodeShape(parameter.shape)) {
      const auto& words = parameter.choices;  // that are no nodes but stand for one
      if (std::find(words.begin(), words.end(), *name) == words.end()) checkNode(*name, use);
    } else if (parameter.shape == Shape::kName || parameter.shape == Shape::kNames) {
      checkName(*name, parameter.refersTo, use);
    } else if (parameter.shape == Shape::kSignal) {
      *name = checkSignal(*name, false, use);
    } else if (parameter.shape == Shape::kSignals || parameter.shape == Shape::kNamedSignals) {
      *name = checkSignal(*name, true, use);
    } else if (parameter.shape == Shape::kExpression && parameter.namesSignals) {
      checkFormula(*name, parameter, use);
    }
  }
}

void References::checkFormula(std::string& formula, const system::Parameter& parameter,
                              const Use& use) {
  replaceSignalNames(formula, parameter.choices, [&](const std::string& name) {
    if (findConstant(name) && !signals_.contains(name)) return name;
    std::string signal = checkUnsigned(name, use);
    if (!canStandInFormula(signal)) {
      errors_.add(use.place,
                  use.subject.text() + ": " + quote(signal) + " cannot be used in a formula",
                  "rename it, using only letters, digits and '_'");
    }
    return signal;
  });
}

void References::checkNode(const std::string& name, const Use& use) {
  if (name == system::kGroundName || has("nodes", name)) return;
  if (instances_.isInsideWrong(name)) return;
  const std::optional<system::NodeName> node = system::parseNodeName(name);
  if (!node) {
    std::vector<std::string> known = namesOf_["nodes"];
    known.emplace_back(system::kGroundName);
    return reportUnknown("node", name, known, use);
  }
  if (!node->isPoint && ownsNodes(node->owner)) return;
  if (!has("beams", node->owner)) {
    if (!instances_.empty() && !node->isPoint) {
      return reportUnknown("node", name, namesOf_["nodes"], use);
    }
    return reportUnknown("beam", node->owner, namesOf_["beams"], use);
  }
  if (node->isPoint) return checkFraction(name, node->fraction, use);
  const auto beam = items_.find("beams." + node->owner);
  if (beam != items_.end()) checkInnerNode(*beam->second, *node, use);
}

bool References::ownsNodes(const std::string& name) const {
  return std::any_of(namesOf_.begin(), namesOf_.end(), [&](const auto& section) {
    const auto item = items_.find(section.first + "." + name);
    if (item == items_.end()) return false;
    return registry_.find(section.first, item->second->type())->ownsNodes;
  });
}

void References::checkInnerNode(const system::Item& beam, const system::NodeName& node,
                                const Use& use) {
  if (!beam.has("elements")) return;  // it was wrong and has been reported
  const long long order = beam.has("order") ? beam.integer("order") : 1;
  const long long last = beam.integer("elements") * order - 1;
  if (node.index && *node.index >= 1 && *node.index <= last) return;
  const std::string& name = beam.name();
  errors_.add(use.place, use.subject.text() + ": unknown node " + quote(name + "." + node.part),
              last < 1 ? quote(name) + " has one element and therefore no inner nodes"
                       : "the inner nodes of " + quote(name) + " are " + name + ".1 to " + name +
                             "." + std::to_string(last));
}

void References::checkFraction(const std::string& name, std::optional<double> fraction,
                               const Use& use) {
  if (fraction && *fraction >= 0.0 && *fraction <= 1.0) return;
  errors_.add(use.place, use.subject.text() + ": " + quote(name) + " is not a point of a beam",
              "'@' is followed by the fraction of the length, from 0 to 1");
}

void References::checkName(const std::string& name, const std::string& section, const Use& use) {
  if (has(section, name)) return;
  // Where a joint is meant, its coordinate may be: c1.rotation.
  if (section == "joints" && has(section, withoutCoordinate(name))) return;
  // `joints` -> `joint`
  std::string kind = section;
  if (kind.ends_with('s')) kind.pop_back();
  if (kind.ends_with("bodie")) kind = "body";
  if (section == "joints" && (name == system::kGroundName || has("nodes", name))) {
    errors_.add(use.place, use.subject.text() + ": " + quote(name) + " is a node, not a joint",
                "name a joint of the model");
    return;
  }
  reportUnknown(kind.c_str(), name, namesOf_[section], use);
}

std::string References::checkSignal(const std::string& name, bool signAllowed, const Use& use) {
  if (!name.starts_with('-')) return checkUnsigned(name, use);
  const std::string whole = name.substr(1);
  const std::size_t before = errors_.count();
  std::string signal = "-" + checkUnsigned(whole, use);
  if (!signAllowed && errors_.count() == before) {
    errors_.add(use.place, use.subject.text() + ": a sign is not allowed here",
                "negate " + quote(whole) + " with a block");
  }
  return signal;
}

std::string References::checkUnsigned(const std::string& name, const Use& use) {
  if (forgiven_.contains(name.substr(0, name.find('.'))) || instances_.isInsideWrong(name)) {
    return name;
  }
  if (!use.scope.empty() && wrongConnections_.contains(name)) return name;
  const UseSignal found = uses_.find(name);
  if (found.state != UseSignal::State::kElsewhere) {
    reportInUse(name, found, use);
    if (found.state != UseSignal::State::kFound) return name;
    checkPortInside(found.signal, use);
    return withOnlyPort(found.signal);
  }
  const std::string owner = findSignalOwner(name);
  if (!signals_.contains(owner)) {
    reportUnknown("signal", owner, signalNames_, use);
  } else if (owner.size() < name.size()) {
    checkPort(owner, name.substr(owner.size() + 1), use);
  } else {
    return withOnlyPort(name);
  }
  return name;
}

// A block that names its only output can be called by its own name too.
std::string References::withOnlyPort(const std::string& name) const {
  const auto block = items_.find("blocks." + name);
  if (block == items_.end()) return name;
  const std::vector<std::string> ports = portsOf(*block->second);
  return ports.size() == 1 ? name + "." + ports.front() : name;
}

// The start of the name that is a signal. Where none is: what a user takes for one.
std::string References::findSignalOwner(const std::string& name) const {
  const std::size_t dot = std::min(name.find('.'), name.size());
  if (instances_.empty()) return name.substr(0, dot);
  for (std::size_t end = dot;; end = std::min(name.find('.', end + 1), name.size())) {
    const std::string owner = name.substr(0, end);
    if (signals_.contains(owner)) return owner;
    if (end == name.size()) break;
  }
  return has("instances", name.substr(0, dot)) ? name : name.substr(0, dot);
}

// What is inside a diagram may be recorded from everywhere, but connected only inside.
void References::reportInUse(const std::string& name, const UseSignal& found, const Use& use) {
  using State = UseSignal::State;
  const std::string subject = use.subject.text() + ": ";
  if (found.state == State::kFound) {
    const bool isInside =
        found.scope.empty() || use.scope == found.scope || use.scope.starts_with(found.scope + ".");
    if (isInside || use.isRecording) return;
    const Diagram& diagram = *uses_.findDiagram(found.scope);
    errors_.add(
        use.place,
        subject + quote(nameIn(use.scope, name)) + " is inside the diagram " + quote(diagram.name),
        "add it to the 'outputs' of 'diagrams." + diagram.name +
            "'; otherwise it can only be recorded");
  }
  if (found.state != State::kSeveral && found.state != State::kUnknown) return;
  const Diagram& diagram = *uses_.findDiagram(found.use);
  const std::string who = quote(nameIn(use.scope, found.use)) + " (diagram " + diagram.name + ")";
  std::vector<std::string> known;
  for (const Diagram::Output& output : diagram.outputs) known.push_back(output.name);
  if (found.state == State::kSeveral) {
    for (std::string& output : known) output.insert(0, nameIn(use.scope, found.use) + ".");
    errors_.add(use.place, subject + who + " has several outputs", "write " + listOf(known));
  } else if (diagram.findInput(found.part) >= 0) {
    errors_.add(use.place, subject + quote(found.part) + " is an input of " + who,
                "use the signal that is connected to it");
  } else {
    if (use.isRecording) {
      for (const Diagram::Block& block : diagram.blocks) known.push_back(block.entry->key);
    }
    errors_.addUnknown(use.place, subject + who + " has no output " + quote(found.part), found.part,
                       known);
  }
}

// The signal is one of the longest path that is a block.
void References::checkPortInside(const std::string& signal, const Use& use) {
  for (std::string_view owner = parentOf(signal); !owner.empty(); owner = parentOf(owner)) {
    if (!items_.contains("blocks." + std::string(owner))) continue;
    return checkPort(std::string(owner), signal.substr(owner.size() + 1), use);
  }
}

// Only blocks that list their outputs are checked here; the makers of the others know their ports.
void References::checkPort(const std::string& name, const std::string& port, const Use& use) {
  const auto block = items_.find("blocks." + name);
  if (block == items_.end()) return;
  const std::vector<std::string> ports = portsOf(*block->second);
  if (ports.empty()) return;
  // Of an array that an FMU gives, every number is a signal: NAME.y.3 of the output y.
  const auto isOne = [&](const std::string& known) {
    return port == known || port.starts_with(known + ".");
  };
  if (std::any_of(ports.begin(), ports.end(), isOne)) return;
  errors_.addUnknown(
      use.place,
      use.subject.text() + ": " + quote(nameIn(use.scope, name)) + " has no output " + quote(port),
      port, ports);
}

bool References::has(const std::string& section, const std::string& name) const {
  return isThere_.contains(section + "." + name) || forgiven_.contains(name);
}

void References::reportUnknown(const char* kind, const std::string& name,
                               std::vector<std::string> known, const Use& use) {
  const std::string message = use.subject.text() + ": unknown " + kind + " " + quote(name);
  // Inside an instance the names of its own things are short.
  const std::string inside = use.instance != nullptr ? use.instance->fullName("") : "";
  for (std::string& other : known) {
    if (!inside.empty() && other.starts_with(inside)) other.erase(0, inside.size());
  }
  if (known.empty()) {
    errors_.add(use.place, message, "the model has none");
  } else {
    errors_.addUnknown(use.place, message, name, known);
  }
}

}  // namespace flexloop::language
