#include "io/references.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "io/item_reader.hpp"

namespace flexloop::io {

using system::Shape;
using system::Value;
using system::ValueList;
using system::ValueMap;

namespace {

template <class T>
std::optional<T> parseWhole(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isNodeShape(Shape shape) {
  return shape == Shape::kNode || shape == Shape::kNodePair || shape == Shape::kNodes;
}

}  // namespace

References::References(const RawModel& model, const model::Description& description,
                       const system::Registry& registry, ErrorList& errors)
    : description_(description), registry_(registry), errors_(errors) {
  collectNames(model);
  for (const system::Item& item : description.items) {
    items_.emplace(item.section() + "." + item.name(), &item);
  }
}

void References::collectNames(const RawModel& model) {
  for (const RawSection& section : model.sections) {
    if (section.name == "parameters") continue;
    std::vector<std::string>& names = namesOf_[section.name];
    for (const RawEntry& entry : section.entries) {
      names.push_back(entry.key);
      if (sharesSignalNames(section.name)) collectSignal(entry.key, entry.place);
    }
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
  errors_.add(place, "the name " + quote(name) + " is taken",
              "sensors, blocks, actuators and outputs share their names; the first is at " +
                  base::toText(first->second));
}

void References::check() {
  for (const system::Item& item : description_.items) checkItem(item);
  for (const model::OutputRequest& output : description_.outputs) {
    if (const auto* item = std::get_if<system::Item>(&output.what)) {
      checkItem(*item);
    } else {
      checkSignal(std::get<std::string>(output.what), false, {output.place, {"outputs", ""}});
    }
  }
}

void References::checkItem(const system::Item& item) {
  const system::TypeEntry* type = registry_.find(item.section(), item.type());
  const std::string owner = item.section() + "." + item.name();
  for (const system::Parameter& parameter : type->parameters) {
    const Value* value = item.find(parameter.name);
    if (value != nullptr) checkValue(*value, parameter, {owner, parameter.name});
  }
}

void References::checkValue(const Value& value, const system::Parameter& parameter,
                            const Subject& subject) {
  if (const ValueList* list = std::get_if<ValueList>(&value.data)) {
    for (const Value& entry : *list) {
      if (std::holds_alternative<std::string>(entry.data)) checkValue(entry, parameter, subject);
    }
  } else if (const ValueMap* map = std::get_if<ValueMap>(&value.data)) {
    const std::string owner = subject.text();
    for (const auto& [key, inner] : *map) {
      if (parameter.shape == Shape::kNamedSignals) checkValue(inner, parameter, subject);
      const auto field = std::find_if(parameter.fields.begin(), parameter.fields.end(),
                                      [&, &name = key](const auto& f) { return f.name == name; });
      if (field != parameter.fields.end()) checkValue(inner, *field, {owner, key});
    }
  } else if (const std::string* name = std::get_if<std::string>(&value.data)) {
    const Use use{value.place, subject};
    if (isNodeShape(parameter.shape)) {
      checkNode(*name, use);
    } else if (parameter.shape == Shape::kName || parameter.shape == Shape::kNames) {
      checkName(*name, parameter.refersTo, use);
    } else if (parameter.shape == Shape::kSignal) {
      checkSignal(*name, false, use);
    } else if (parameter.shape == Shape::kSignals || parameter.shape == Shape::kNamedSignals) {
      checkSignal(*name, true, use);
    }
  }
}

void References::checkNode(const std::string& name, const Use& use) {
  if (name == "ground" || has("nodes", name)) return;
  const std::size_t sign = name.find_first_of(".@");
  if (sign == std::string::npos) {
    std::vector<std::string> known = namesOf_["nodes"];
    known.emplace_back("ground");
    return reportUnknown("node", name, known, use);
  }
  const std::string owner = name.substr(0, sign);
  const std::string part = name.substr(sign + 1);
  const bool isBeam = has("beams", owner);
  if (name[sign] == '.' && ownsNodes(owner)) return;
  if (!isBeam) return reportUnknown("beam", owner, namesOf_["beams"], use);
  if (name[sign] == '@') return checkFraction(name, part, use);
  const auto beam = items_.find("beams." + owner);
  if (beam != items_.end()) checkInnerNode(*beam->second, part, use);
}

bool References::ownsNodes(const std::string& name) const {
  return std::any_of(namesOf_.begin(), namesOf_.end(), [&](const auto& section) {
    const auto item = items_.find(section.first + "." + name);
    if (item == items_.end()) return false;
    return registry_.find(section.first, item->second->type())->ownsNodes;
  });
}

void References::checkInnerNode(const system::Item& beam, const std::string& text, const Use& use) {
  if (!beam.has("elements")) return;  // it was wrong and has been reported
  const long long order = beam.has("order") ? beam.integer("order") : 1;
  const long long last = beam.integer("elements") * order - 1;
  const std::optional<long long> index = parseWhole<long long>(text);
  if (index && *index >= 1 && *index <= last) return;
  const std::string& name = beam.name();
  errors_.add(use.place, use.subject.text() + ": unknown node " + quote(name + "." + text),
              last < 1 ? quote(name) + " has one element and so no inner nodes"
                       : "the inner nodes of " + quote(name) + " are " + name + ".1 to " + name +
                             "." + std::to_string(last));
}

void References::checkFraction(const std::string& name, const std::string& text, const Use& use) {
  const std::optional<double> fraction = parseWhole<double>(text);
  if (fraction && *fraction >= 0.0 && *fraction <= 1.0) return;
  errors_.add(use.place, use.subject.text() + ": " + quote(name) + " is no point of a beam",
              "after '@' stands the fraction of its length, from 0 to 1");
}

void References::checkName(const std::string& name, const std::string& section, const Use& use) {
  if (has(section, name)) return;
  // `joints` -> `joint`
  std::string kind = section;
  if (kind.ends_with('s')) kind.pop_back();
  if (kind.ends_with("bodie")) kind = "body";
  reportUnknown(kind.c_str(), name, namesOf_[section], use);
}

void References::checkSignal(const std::string& name, bool signAllowed, const Use& use) {
  const bool hasSign = name.starts_with('-');
  const std::string whole = hasSign ? name.substr(1) : name;
  const std::size_t dot = whole.find('.');
  const std::string owner = whole.substr(0, dot);
  if (!signals_.contains(owner) && !forgiven_.contains(owner)) {
    return reportUnknown("signal", owner, signalNames_, use);
  }
  if (hasSign && !signAllowed) {
    errors_.add(use.place, use.subject.text() + ": a sign is not possible here",
                "make the negative of " + quote(whole) + " with a block");
  }
  if (dot != std::string::npos) checkPort(owner, whole.substr(dot + 1), use);
}

// Only blocks that list their outputs are checked here; the makers of the others know their ports.
void References::checkPort(const std::string& name, const std::string& port, const Use& use) {
  const auto block = items_.find("blocks." + name);
  if (block == items_.end() || !block->second->has("outputs")) return;
  const std::vector<std::string> ports = block->second->names("outputs");
  if (std::find(ports.begin(), ports.end(), port) != ports.end()) return;
  errors_.addUnknown(use.place,
                     use.subject.text() + ": " + quote(name) + " has no output " + quote(port),
                     port, ports);
}

bool References::has(const std::string& section, const std::string& name) const {
  return isThere_.contains(section + "." + name) || forgiven_.contains(name);
}

void References::reportUnknown(const char* kind, const std::string& name,
                               const std::vector<std::string>& known, const Use& use) {
  std::string message = use.subject.text() + ": unknown " + kind + " " + quote(name);
  if (known.empty()) {
    errors_.add(use.place, std::move(message), "the model has none");
  } else {
    errors_.addUnknown(use.place, std::move(message), name, known);
  }
}

}  // namespace flexloop::io
