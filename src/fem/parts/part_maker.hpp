// Turns an item of `parts` into nodes, modal coordinates and an element.
#pragma once

#include "system/item.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::fem {

void makePart(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::fem
