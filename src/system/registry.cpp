#include "system/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace flexloop::system {

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
