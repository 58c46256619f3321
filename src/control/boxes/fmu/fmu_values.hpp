// Values of the variables of an FMU: as it states them, and as a model gives them.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/boxes/fmu/fmu_description.hpp"
#include "system/item.hpp"

namespace flexloop::control {

// Zeros where the FMU states none, or another number of them than the array has.
std::vector<double> startsOf(const FmuVariable& variable);

// As `3 x 2`; of an array.
std::string shapeOf(const FmuVariable& variable);

// Of a parameter, row by row. A failure says what the variable is: "is a whole number".
base::Result<std::vector<double>> numbersOf(const FmuVariable& variable,
                                            const system::Value& value);

}  // namespace flexloop::control
