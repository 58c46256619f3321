// Shared by the makers of sources.
#pragma once

#include <memory>
#include <string>

#include "control/sources/source.hpp"
#include "system/builder.hpp"
#include "system/registry.hpp"

namespace flexloop::control {

// Adds the signal of the item's name, which follows the function.
void addSource(const system::Item& item, system::Builder& builder,
               std::unique_ptr<TimeFunction> function);

// A parameter that is a value of the signal, in any unit.
system::Parameter signalValue(const char* name, const char* doc);

// A model that the block drives, for samples.
std::string sourceSample(const std::string& block);

// The parts of registerSources.
void registerExcitations(system::Registry& registry);
void registerMotionProfiles(system::Registry& registry);
void registerExpressions(system::Registry& registry);

}  // namespace flexloop::control
