#include "language/item_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "math/expressions/expression.hpp"
#include "system/node_names.hpp"

namespace flexloop::language {
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

bool startsSignalNames(std::string_view section) {
  return sharesSignalNames(section) || section == "instances";
}

void expandShortForm(std::string_view section, RawNode& value) {
  if (section != "nodes" || value.list() == nullptr) return;
  const base::Place place = value.place;
  RawMap map;
  map.push_back({"position", place, std::move(value)});
  value = RawNode{place, std::move(map)};
}

void checkItemName(const std::string& section, const std::string& name, bool isSignal,
                   const base::Place& place, ErrorList& errors) {
  if (name == system::kGroundName) {
    errors.add(place, section + ": 'ground' is the fixed frame and cannot be defined",
               "choose another name");
  } else if (name.empty() || name.front() == '-' ||
             !std::all_of(name.begin(), name.end(), isNameCharacter)) {
    errors.add(place, section + ": " + quote(name) + " cannot be a name",
               "a name consists of letters, digits, '_' and '-' and does not start with '-'");
  } else if (isSignal && !math::isNameStart(name.front())) {
    errors.add(place, section + ": " + quote(name) + " cannot be the name of a signal",
               "it starts like a number; start it with a letter");
  }
}

std::optional<system::Item> ItemReader::read(const std::string& section, RawEntry& entry) {
  if (section != kAnalysis) {  // those are found in the registry or not
    checkItemName(section, entry.key, startsSignalNames(section), entry.place, errors_);
  }
  expandShortForm(section, entry.value);
  return readAs({section, entry.key, section + "." + entry.key}, entry);
}

std::optional<system::Item> ItemReader::readInner(const RawEntry& entry, std::string fullName) {
  static const std::string section = "blocks";
  return readAs({section, std::move(fullName), entry.key}, entry);
}

std::optional<system::Item> ItemReader::readInner(const std::string& section, const RawEntry& entry,
                                                  std::string fullName) {
  return readAs({section, std::move(fullName), section + "." + entry.key}, entry);
}

std::optional<system::Item> ItemReader::readAs(Identity identity, const RawEntry& entry) {
  const std::string& section = identity.section;
  const RawMap none;
  const RawMap* map = entry.value.isNull() ? &none : entry.value.map();
  if (map == nullptr) {
    errors_.add(
        entry.value.place, identity.owner + ": expected entries 'key: value'",
        "write '" + entry.key + (section == "nodes" ? ": [x, y, z]'" : ": {key: value, ...}'"));
    return std::nullopt;
  }
  const system::TypeEntry* type = findType(identity, entry, *map);
  if (type == nullptr) return std::nullopt;
  const std::optional<RawMap> spread =
      spreadColumns(*map, type->fileColumns, identity.owner, errors_);
  if (spread) map = &*spread;
  const bool named = section != kAnalysis && !type->type.empty();
  system::ValueMap values = values_.readMap(*map, type->parameters, identity.owner, entry.place,
                                            named ? typeKeyOf(section) : std::string_view());
  system::Item item(section, std::move(identity.name), type->type, entry.place, std::move(values));
  item.setFacts(type->facts);
  return item;
}

const system::TypeEntry* ItemReader::findType(const Identity& identity, const RawEntry& entry,
                                              const RawMap& map) {
  const std::string& section = identity.section;
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
  if (given == nullptr) return reportMissingType(identity, entry, map);
  const RawScalar* word = given->value.scalar();
  const system::TypeEntry* type = word != nullptr ? registry_.find(section, word->text) : nullptr;
  if (type != nullptr && !type->type.empty()) return type;
  const std::string key(typeKeyOf(section));
  if (word == nullptr) {
    errors_.add(given->place, identity.owner + ": " + quote(key) + " needs a single word",
                "known: " + listOf(typesOf(section)));
  } else {
    errors_.addUnknown(given->value.place,
                       identity.owner + ": unknown " + key + " " + quote(word->text), word->text,
                       typesOf(section));
  }
  return nullptr;
}

const system::TypeEntry* ItemReader::reportMissingType(const Identity& identity,
                                                       const RawEntry& entry, const RawMap& map) {
  const std::string key(typeKeyOf(identity.section));
  const std::string other = key == "type" ? "measure" : "type";
  const bool mixed = findEntry(map, other) != nullptr;
  errors_.add(entry.place, identity.owner + ": " + quote(key) + " is missing",
              mixed ? "write " + quote(key) + " instead of " + quote(other)
                    : "write '" + key + ": ...' with one of " + listOf(typesOf(identity.section)));
  return nullptr;
}

std::vector<std::string> ItemReader::typesOf(const std::string& section) const {
  std::vector<std::string> types = registry_.typesOf(section);
  if (section == "blocks") types.insert(types.end(), diagrams_.begin(), diagrams_.end());
  return types;
}

}  // namespace flexloop::language
