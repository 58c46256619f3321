// Parts of a machine that no joint, beam, spring, actuator or held freedom connects with the rest.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace flexloop::analysis {

struct FreeParts {
  std::vector<std::vector<int>> parts;  // nodes of each part that is not connected with ground
  bool hasGrounded = false;             // whether there are others
};

FreeParts findFreeParts(const system::System& system);

}  // namespace flexloop::analysis
