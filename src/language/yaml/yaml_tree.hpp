// The text of a model file as a tree of scalars, lists and maps, with the place of each. Nothing is
// interpreted yet: what a scalar means depends on the parameter that it is given for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostics.hpp"
#include "language/error_list.hpp"

namespace flexloop::language {

struct RawNode;
struct RawEntry;
using RawList = std::vector<RawNode>;
using RawMap = std::vector<RawEntry>;  // in the order of the file; keys differ

struct RawScalar {
  std::string text;
  bool quoted = false;
};

struct RawNode {
  base::Place place;
  std::variant<std::monostate, RawScalar, RawList, RawMap> data;  // monostate: nothing is written

  bool isNull() const { return std::holds_alternative<std::monostate>(data); }
  const RawScalar* scalar() const { return std::get_if<RawScalar>(&data); }
  const RawList* list() const { return std::get_if<RawList>(&data); }
  const RawMap* map() const { return std::get_if<RawMap>(&data); }
};

struct RawEntry {
  std::string key;
  base::Place place;  // of the key
  RawNode value;
};

// The entry with this key, or null. Linear: for the short maps of items.
const RawEntry* findEntry(const RawMap& map, std::string_view key);
RawEntry* findEntry(RawMap& map, std::string_view key);

// A repeated key is reported and left out. Text that is no YAML at all throws base::InputError,
// together with the errors so far. Without `lines`, places name the file only: for values of the
// command line.
RawNode parseYaml(const std::string& text, std::shared_ptr<const std::string> file,
                  ErrorList& errors, bool lines = true);

}  // namespace flexloop::language
