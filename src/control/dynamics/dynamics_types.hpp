// The parts of registerDynamics, and what their makers share.
#pragma once

#include <string>

#include "control/dynamics/linear_system.hpp"
#include "system/builder.hpp"
#include "system/registry.hpp"

namespace flexloop::control {

void registerLinearSystems(system::Registry& registry);
void registerFilters(system::Registry& registry);
void registerPid(system::Registry& registry);
void registerDelay(system::Registry& registry);

system::Parameter inputParameter();
system::Parameter initialOutputParameter();

// Adds the system of one input and one output, at rest with the output `key` if that is given.
void addSingleSystem(const system::Item& item, const StateMatrices& system,
                     system::Builder& builder, const char* key = "initial_output");

}  // namespace flexloop::control
