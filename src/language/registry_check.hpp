// Mistakes in the registry itself, for the tests: what a type promises in its documentation must be
// readable.
#pragma once

#include <string>
#include <vector>

#include "system/registry.hpp"

namespace flexloop::language {

// One sentence each: a type or parameter without documentation, a default that is not of its
// parameter's form, a choice without words, a reference to an unknown section, a type without
// sample or with one that cannot be read or does not use the type.
std::vector<std::string> findRegistryMistakes(const system::Registry& registry);

}  // namespace flexloop::language
