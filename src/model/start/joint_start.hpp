// Joints that start elsewhere than where the nodes are placed: `start` and `start_rate`
// (docs/theory/26_rest_of_controllers.md, section 26.5).
#pragma once

#include "base/diagnostics.hpp"
#include "model/description.hpp"
#include "solve/machine_pool.hpp"
#include "system/builder.hpp"
#include "system/registry.hpp"
#include "system/state.hpp"

namespace flexloop::model {

// The start of a system with its joints where they say. What hangs on the second node of a joint moves along
// as one; where a loop does not let it, the rest of the loop follows. Reports what cannot be reached.
system::State moveToJointStarts(const Description& description, const system::Registry& registry,
                                const system::Builder& builder, solve::MachinePool& machines,
                                base::Diagnostics& diagnostics);

}  // namespace flexloop::model
