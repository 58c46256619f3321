// From a description to a model: every item is handed to the maker of its type, section by section.
#pragma once

#include "model/description.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

// Throws base::InputError with everything that is wrong.
Model buildModel(Description description, const system::Registry& registry);
// The same, with joints where the nodes are placed, whatever drives and starts say.
Model buildAsDrawn(Description description, const system::Registry& registry);

}  // namespace flexloop::model
