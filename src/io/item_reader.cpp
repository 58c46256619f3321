#include "io/item_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "math/expression.hpp"

namespace flexloop::io {
namespace {

// The kinds of analysis are named by their keys: `analysis: {time: {...}, modes: {...}}`.
constexpr std::string_view kAnalysis = "analysis";

bool isNameCharacter(char c) {
  return math::isNamePart(c) || c == '-';
}

}  // namespace

std::string_view typeKeyOf(std::string_view section) {
  return section == "sensors" ? "measure" : "type";
}

bool sharesSignalNames(std::string_view section) {
  return section == "sensors" || section == "blocks" || section == "actuators";
}

void expandShortForm(std::string_view section, RawNode& value) {
  if (section != "nodes" || value.list() == nullptr) return;
  const base::Place place = value.place;
  RawMap map;
  map.push_back({"position", place, std::move(value)});
  value = RawNode{place, std::move(map)};
}

std::optional<system::Item> ItemReader::read(const std::string& section, RawEntry& entry) {
  checkName(section, entry);
  expandShortForm(section, entry.value);
  const RawMap none;
  const RawMap* map = entry.value.isNull() ? &none : entry.value.map();
  if (map == nullptr) {
    errors_.add(
        entry.value.place, section + "." + entry.key + ": entries 'key: value' are expected",
        "write '" + entry.key + (section == "nodes" ? ": [x, y, z]'" : ": {key: value, ...}'"));
    return std::nullopt;
  }
  const system::TypeEntry* type = findType(section, entry, *map);
  if (type == nullptr) return std::nullopt;
  const bool named = section != kAnalysis && !type->type.empty();
  system::ValueMap values =
      values_.readMap(*map, type->parameters, section + "." + entry.key, entry.place,
                      named ? typeKeyOf(section) : std::string_view());
  return system::Item(section, entry.key, type->type, entry.place, std::move(values));
}

const system::TypeEntry* ItemReader::findType(const std::string& section, const RawEntry& entry,
                                              const RawMap& map) {
  if (section == kAnalysis) {
    const system::TypeEntry* type = registry_.find(section, entry.key);
    if (type == nullptr) {
      errors_.addUnknown(entry.place, "analysis: unknown kind " + quote(entry.key), entry.key,
                         registry_.typesOf(section));
    }
    return type;
  }
  const system::TypeEntry* untyped = registry_.find(section, "");
  const RawEntry* given = findEntry(map, typeKeyOf(section));
  // In a section without types the key `type` is one unknown key among others.
  if (untyped != nullptr && (given == nullptr || registry_.typesOf(section).size() == 1)) {
    return untyped;
  }
  if (given == nullptr) return reportMissingType(section, entry, map);
  const RawScalar* word = given->value.scalar();
  const system::TypeEntry* type = word != nullptr ? registry_.find(section, word->text) : nullptr;
  if (type != nullptr && !type->type.empty()) return type;
  const std::string subject = section + "." + entry.key + ": ";
  const std::string key(typeKeyOf(section));
  if (word == nullptr) {
    errors_.add(given->place, subject + quote(key) + " needs one word",
                "known: " + listOf(registry_.typesOf(section)));
  } else {
    errors_.addUnknown(given->value.place, subject + "unknown " + key + " " + quote(word->text),
                       word->text, registry_.typesOf(section));
  }
  return nullptr;
}

const system::TypeEntry* ItemReader::reportMissingType(const std::string& section,
                                                       const RawEntry& entry, const RawMap& map) {
  const std::string key(typeKeyOf(section));
  const std::string other = key == "type" ? "measure" : "type";
  const bool mixed = findEntry(map, other) != nullptr;
  errors_.add(entry.place, section + "." + entry.key + ": " + quote(key) + " is missing",
              mixed ? "write " + quote(key) + " instead of " + quote(other)
                    : "write '" + key + ": ...' with one of " + listOf(registry_.typesOf(section)));
  return nullptr;
}

void ItemReader::checkName(const std::string& section, const RawEntry& entry) {
  const std::string& name = entry.key;
  if (section == kAnalysis) return;  // found in the registry or not
  if (name == "ground") {
    errors_.add(entry.place, section + ": 'ground' is the fixed frame and cannot be defined",
                "choose another name");
  } else if (name.front() == '-' || !std::all_of(name.begin(), name.end(), isNameCharacter)) {
    errors_.add(entry.place, section + ": " + quote(name) + " cannot be a name",
                "a name has letters, digits, '_' and '-', and does not start with '-'");
  } else if (sharesSignalNames(section) && !math::isNameStart(name.front())) {
    errors_.add(entry.place, section + ": " + quote(name) + " cannot be the name of a signal",
                "it starts like a number; start it with a letter");
  }
}

}  // namespace flexloop::io
