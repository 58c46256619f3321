// Joints must not be driven by signals that jump: a body would have to move at once. What follows from the types of
// blocks is found here, with the place in the file; what does not, while running (restartAfterJump).
#pragma once

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

void checkDrives(const Description& description, const system::Registry& registry,
                 base::Diagnostics& diagnostics);

}  // namespace flexloop::model
