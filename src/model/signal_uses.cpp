#include "model/signal_uses.hpp"

#include <algorithm>
#include <variant>

#include "math/expressions/expression.hpp"

namespace flexloop::model {
namespace {

using system::Item;
using system::Parameter;
using system::Shape;
using system::Value;
using Names = std::vector<std::string>;

void addName(const std::string& name, Names& names) {
  names.push_back(name.starts_with('-') ? name.substr(1) : name);
}

void addNamesOf(const Value& value, const Parameter& parameter, Names& names) {
  if (const auto* list = std::get_if<system::ValueList>(&value.data)) {
    for (const Value& entry : *list) addNamesOf(entry, parameter, names);
  } else if (const auto* map = std::get_if<system::ValueMap>(&value.data)) {
    for (const auto& [key, inner] : *map) {
      if (parameter.shape == Shape::kNamedSignals) addNamesOf(inner, parameter, names);
      if (parameter.shape == Shape::kByName) {
        addNamesOf(inner, parameter.fields.front(), names);
        continue;
      }
      for (const Parameter& field : parameter.fields) {
        if (field.name == key) addNamesOf(inner, field, names);
      }
    }
  } else if (const auto* text = std::get_if<std::string>(&value.data)) {
    if (parameter.shape == Shape::kSignal || parameter.shape == Shape::kSignals ||
        parameter.shape == Shape::kNamedSignals) {
      addName(*text, names);
    } else if (parameter.shape == Shape::kExpression && parameter.namesSignals) {
      const auto uses = math::findExpressionNames(*text);
      if (!uses) return;
      for (const math::NameUse& use : uses.value()) names.push_back(use.name);
    }
  }
}

}  // namespace

Names findSignalsOf(const Item& item, const system::TypeEntry& type) {
  Names names;
  for (const Parameter& parameter : type.parameters) {
    const Value* value = item.find(parameter.name);
    if (value != nullptr) addNamesOf(*value, parameter, names);
  }
  return names;
}

SignalUses::SignalUses(const Description& description, const system::Registry& registry)
    : aliases_(description.signalNames.begin(), description.signalNames.end()),
      readers_(description.items.size()),
      reads_(description.items.size()),
      recorded_(description.items.size(), false) {
  const std::vector<Item>& items = description.items;
  const int count = static_cast<int>(items.size());
  for (int i = 0; i < count; ++i) {
    const std::string& section = items[i].section();
    if (section == "blocks" || section == "sensors" || section == "actuators") {
      owners_.emplace(items[i].name(), i);
    }
  }
  for (int i = 0; i < count; ++i) {
    const system::TypeEntry* type = registry.find(items[i].section(), items[i].type());
    if (type == nullptr) continue;
    for (const std::string& name : findSignalsOf(items[i], *type)) {
      const int owner = findOwner(name);
      if (owner < 0) continue;
      reads_[i].push_back(owner);
      readers_[owner].push_back(i);
    }
  }
  for (const OutputRequest& output : description.outputs) {
    const std::string* name = std::get_if<std::string>(&output.what);
    const int owner = name != nullptr ? findOwner(*name) : -1;
    if (owner >= 0) recorded_[owner] = true;
  }
}

// Parts after dots are ports or rates of the item, or names inside the use of a diagram.
int SignalUses::findOwner(const std::string& signal) const {
  const auto alias = aliases_.find(signal);
  if (alias != aliases_.end() && alias->second != signal) return findOwner(alias->second);
  for (std::string name = signal; !name.empty();) {
    const auto owner = owners_.find(name);
    if (owner != owners_.end()) return owner->second;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return -1;
    name.resize(dot);
  }
  return -1;
}

}  // namespace flexloop::model
