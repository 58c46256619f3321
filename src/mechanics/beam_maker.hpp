// From a plan to the nodes and elements of a beam.
#pragma once

#include "system/item.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::mechanics {

void makeBeam(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::mechanics
