#include "system/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace flexloop::system {
namespace {

// A number is a constant: of a damping zero, of a drive a place that is held.
bool acts(const Parameter& parameter, const Value& value) {
  if (const double* number = std::get_if<double>(&value.data)) {
    // An impact takes energy unless all of the speed is left.
    if (parameter.name == "restitution") return *number != 1.0;
    return parameter.shape != Shape::kSignal && *number != 0.0;
  }
  if (const auto* list = std::get_if<ValueList>(&value.data)) {
    return std::any_of(list->begin(), list->end(),
                       [&](const Value& entry) { return acts(parameter, entry); });
  }
  if (const auto* map = std::get_if<ValueMap>(&value.data)) {
    return std::any_of(map->begin(), map->end(),
                       [&](const NamedValue& entry) { return acts(parameter, entry.value); });
  }
  return std::holds_alternative<std::string>(value.data);
}

bool changeEnergy(const std::vector<Parameter>& parameters, const Item& item) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
    const Value* value = item.find(parameter.name);
    if (value == nullptr) return false;
    if (parameter.changesEnergy) return acts(parameter, *value);
    const bool isMap = std::holds_alternative<ValueMap>(value->data);
    return isMap && changeEnergy(parameter.fields, item.child(parameter.name));
  });
}

}  // namespace

bool changesEnergy(const TypeEntry& type, const Item& item) {
  return type.changesEnergy || changeEnergy(type.parameters, item);
}

void Registry::add(TypeEntry entry) {
  if (find(entry.section, entry.type) != nullptr) {
    throw std::logic_error("the type '" + entry.type + "' of section '" + entry.section +
                           "' is registered twice");
  }
  entries_.push_back(std::move(entry));
}

const TypeEntry* Registry::find(std::string_view section, std::string_view type) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const TypeEntry& e) {
    return e.type == type && e.section == section;
  });
  return entry == entries_.end() ? nullptr : &*entry;
}

std::vector<std::string> Registry::typesOf(std::string_view section) const {
  std::vector<std::string> types;
  for (const TypeEntry& entry : entries_) {
    if (entry.section == section) types.push_back(entry.type);
  }
  return types;
}

std::string Registry::listTypes(std::string_view section, bool TypeFacts::*fact) const {
  std::vector<std::string_view> types;
  for (const TypeEntry& entry : entries_) {
    if (entry.section == section && entry.facts.*fact) types.push_back(entry.type);
  }
  std::string list;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) list += i + 1 < types.size() ? ", " : " and ";
    list += types[i];
  }
  return list;
}

bool Registry::hasSection(std::string_view section) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const TypeEntry& entry) { return entry.section == section; });
}

std::vector<std::string> Registry::sections() const {
  std::vector<std::string> names;
  for (const TypeEntry& entry : entries_) {
    if (std::find(names.begin(), names.end(), entry.section) == names.end()) {
      names.push_back(entry.section);
    }
  }
  return names;
}

}  // namespace flexloop::system
