// Turns an entry of a section into an item: finds its type in the registry and reads its values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/value_reader.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::io {

// The key that names the type of a section's items: `measure` of sensors, `type` of all others.
std::string_view typeKeyOf(std::string_view section);

// Sensors, blocks and actuators share one name space, that of the signals.
bool sharesSignalNames(std::string_view section);

// `A: [0, 0, 0]` in section `nodes` means `A: {position: [0, 0, 0]}`; other values stay as they
// are.
void expandShortForm(std::string_view section, RawNode& value);

class ItemReader {
 public:
  ItemReader(const system::Registry& registry, ValueReader& values, ErrorList& errors)
      : registry_(registry), values_(values), errors_(errors) {}

  // Nothing if the type cannot be told. Other mistakes are reported, and what is right is in the
  // item.
  std::optional<system::Item> read(const std::string& section, RawEntry& entry);

 private:
  const system::TypeEntry* findType(const std::string& section, const RawEntry& entry,
                                    const RawMap& map);
  const system::TypeEntry* reportMissingType(const std::string& section, const RawEntry& entry,
                                             const RawMap& map);
  void checkName(const std::string& section, const RawEntry& entry);

  const system::Registry& registry_;
  ValueReader& values_;
  ErrorList& errors_;
};

}  // namespace flexloop::io
