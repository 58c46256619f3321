// Makes black boxes from the items of a model.
#pragma once

#include "system/builder.hpp"

namespace flexloop::control {

// Loads the libraries and creates the blocks: runs code of others.
void makeLibrary(const system::Item& item, system::Builder& builder);
void makeNonlinear(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::control
