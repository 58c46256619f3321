// The parts of registerContacts, and what their samples share.
#pragma once

#include <string>
#include <vector>

#include "system/registry.hpp"

namespace flexloop::mechanics {

// Of the radius of a disc: its rim is round with half of this thickness, unless another is given.
inline constexpr double kUsualEdge = 1e-6;

void registerPlaneContacts(system::Registry& registry);
void registerRoundContacts(system::Registry& registry);
void registerSphereGroups(system::Registry& registry);
void registerGroupMeasures(system::Registry& registry);
void registerContactMeasures(system::Registry& registry);

// For each size of the shape, models with contacts of all kinds of forces. %s in `shape` is the size; large ones touch.
std::vector<std::string> contactSamples(const std::string& shape,
                                        const std::vector<std::string>& sizes);
// And with rigid ones, which start apart with the last size.
std::vector<std::string> withRigid(const std::string& shape, const std::vector<std::string>& sizes);

}  // namespace flexloop::mechanics
