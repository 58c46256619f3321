// A model that others drive, as an FMU or by a program: inputs from outside are added to some of its signals.
#pragma once

#include <string>
#include <vector>

#include "api/load.hpp"

namespace flexloop::api {

// The names are signals, or loads as inputs: a load without a signal gets one of its own name, which scales it. Inputs and outputs
// are all that is recorded. Throws base::InputError.
model::Model loadDrivenModel(const ModelSource& source, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs);

}  // namespace flexloop::api
