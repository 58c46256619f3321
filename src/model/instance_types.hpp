// The section `instances` of the model language: where assemblies are placed and with which parameters.
#pragma once

#include "system/registry.hpp"

namespace flexloop::model {

// The reader turns instances into items of the other sections, so there is nothing to make of them.
void registerInstances(system::Registry& registry);

}  // namespace flexloop::model
