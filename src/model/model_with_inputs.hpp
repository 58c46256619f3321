// A model that others drive: inputs from outside are added to some of its signals (control/sources/external_inputs.hpp).
#pragma once

#include <string>
#include <vector>

#include "model/description.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

// As buildModel. The inputs are signals that the description wants.
Model buildModelWithInputs(Description description, const system::Registry& registry,
                           const std::vector<std::string>& inputs);

}  // namespace flexloop::model
