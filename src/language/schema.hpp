// The JSON Schema of the model language, for editors: completion, descriptions and marks at
// mistakes while typing.
#pragma once

#include <string>

#include "system/registry.hpp"

namespace flexloop::language {

// Draft 2020-12, indented. It is wider than the reader: dimensions of units and names of other
// things are checked by the reader alone.
std::string makeSchema(const system::Registry& registry);

}  // namespace flexloop::language
