// Formulas of blocks in which a length is added to a mass: by the units of sensors, actuators and parameters.
#pragma once

#include <functional>
#include <string>

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

// A warning for each. `unitOf` a signal is empty where nobody knows it: such signals, states, time and numbers fit everywhere.
void checkFormulaUnits(const Description& description, const system::Registry& registry,
                       const std::function<std::string(const std::string&)>& unitOf,
                       base::Diagnostics& diagnostics);

}  // namespace flexloop::model
