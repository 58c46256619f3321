// Makes blocks of wind-turbine controllers from the items of a model.
#pragma once

#include "system/builder.hpp"

namespace flexloop::control {

// Loads the library and runs its code.
void makeDiscon(const system::Item& item, system::Builder& builder);
// A block with its ports that gives zeros.
void makeDisconStandIn(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::control
