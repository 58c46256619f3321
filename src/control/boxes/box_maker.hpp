// Makes black boxes from the items of a model.
#pragma once

#include <string_view>

#include "system/builder.hpp"

namespace flexloop::control {

// Loads the libraries and creates the blocks: runs code of others.
void makeLibrary(const system::Item& item, system::Builder& builder);
void makeNonlinear(const system::Item& item, system::Builder& builder);

// What takes the place of a box of a type in a model whose code must not run; see below. Those of foreign models are
// checked in any case: their ports are in their files.
using BoxStandInMaker = void (*)(const system::Item&, system::Builder&);
BoxStandInMaker findStandIn(std::string_view type, bool isChecked);

// Makes a block with the ports of a black box that gives zeros and starts no code: for a model that is only
// looked at.
void makeBoxStandIn(const system::Item& item, system::Builder& builder);
// The same where all is to be checked that can be without running it: its library must be there.
void makeCheckedBoxStandIn(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::control
