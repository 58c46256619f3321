// Turns an entry of a section into an item: finds its type in the registry and reads its values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/values/value_reader.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// The key that names the type of a section's items: `measure` of sensors, `type` of all others.
std::string_view typeKeyOf(std::string_view section);

// Sensors, blocks and actuators share one name space, that of the signals.
bool sharesSignalNames(std::string_view section);
// Signals start with names of items of this section; those of instances have such names inside.
bool startsSignalNames(std::string_view section);

// `A: [0, 0, 0]` in section `nodes` means `A: {position: [0, 0, 0]}`; other values stay as they
// are.
void expandShortForm(std::string_view section, RawNode& value);

// Reports what cannot be the name of an item of `section`, for example `nodes` or, of a signal,
// `blocks` or `diagrams.servo.blocks`.
void checkItemName(const std::string& section, const std::string& name, bool isSignal,
                   const base::Place& place, ErrorList& errors);

class ItemReader {
 public:
  // Diagrams are types of blocks too; the reader only suggests them.
  ItemReader(const system::Registry& registry, std::vector<std::string> diagrams,
             ValueReader& values, ErrorList& errors)
      : registry_(registry), diagrams_(std::move(diagrams)), values_(values), errors_(errors) {}

  // Nothing if the type is unknown. Other mistakes are reported, and what is right is in the
  // item.
  std::optional<system::Item> read(const std::string& section, RawEntry& entry);

  // A block inside a diagram, whose full name is that of the use and its own: `axis1.law`. Messages
  // call it by its own.
  std::optional<system::Item> readInner(const RawEntry& entry, std::string fullName);
  // The same of any section inside an instance of an assembly, where its name has been checked; messages name the section too.
  std::optional<system::Item> readInner(const std::string& section, const RawEntry& entry,
                                        std::string fullName);

 private:
  // What is read, under its full name and as messages call it.
  struct Identity {
    const std::string& section;
    std::string name;
    std::string owner;
  };

  std::optional<system::Item> readAs(Identity identity, const RawEntry& entry);
  const system::TypeEntry* findType(const Identity& identity, const RawEntry& entry,
                                    const RawMap& map);
  const system::TypeEntry* reportMissingType(const Identity& identity, const RawEntry& entry,
                                             const RawMap& map);
  std::vector<std::string> typesOf(const std::string& section) const;

  const system::Registry& registry_;
  std::vector<std::string> diagrams_;
  ValueReader& values_;
  ErrorList& errors_;
};

}  // namespace flexloop::language
