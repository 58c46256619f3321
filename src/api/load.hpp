// Reading of what a ModelSource names.
#pragma once

#include "api/commands.hpp"
#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::api {

// Throws base::InputError.
model::Description readDescription(const ModelSource& source, const system::Registry& registry);

// The same with its files as they are now, whatever becomes of them. Throws base::InputError.
ModelSource withFiles(ModelSource source, const system::Registry& registry);

}  // namespace flexloop::api
