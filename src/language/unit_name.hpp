// The SI unit of a parameter, for the manual and the schema.
#pragma once

#include <string>

#include "system/registry.hpp"

namespace flexloop::language {

// `m`, `N*m`; `any` where every dimension is taken; empty where there is no unit.
std::string unitNameOf(const system::Parameter& parameter);

}  // namespace flexloop::language
