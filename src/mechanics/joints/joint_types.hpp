// Section `joints`: constraints between two nodes, with what acts on their free coordinates.
#pragma once

#include <vector>

#include "system/registry.hpp"

namespace flexloop::mechanics {

// Documentation, parameters and samples of a type of joint, without its maker.
system::TypeEntry describeJoint(const std::string& type);

}  // namespace flexloop::mechanics
