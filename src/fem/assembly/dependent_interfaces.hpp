// Interfaces whose motions depend on each other, which no machine can tell apart.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "fem/assembly/interfaces.hpp"
#include "fem/assembly/part_system.hpp"

namespace flexloop::fem {

// An averaging interface needs nodes of its own: where all interfaces are held, the rows of C that define the averages must still
// be independent in the nodes that are left. Names the interfaces for which they are not.
std::optional<base::Failure> findDependentInterfaces(const PartSystem& part,
                                                     const std::vector<PartInterface>& interfaces);

}  // namespace flexloop::fem
