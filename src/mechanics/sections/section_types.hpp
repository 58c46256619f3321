// Sections `materials` and `sections` of the model language.
#pragma once

#include "system/registry.hpp"

namespace flexloop::mechanics {

void registerSections(system::Registry& registry);

}  // namespace flexloop::mechanics
