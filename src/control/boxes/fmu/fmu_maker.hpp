// Makes blocks of foreign models (FMUs) from the items of a model.
#pragma once

#include "system/builder.hpp"

namespace flexloop::control {

// Unpacks the FMU and runs its code.
void makeFmu(const system::Item& item, system::Builder& builder);
// A block with the ports of the FMU, from its description, that gives zeros: all is checked that can be without
// running code.
void makeFmuStandIn(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::control
