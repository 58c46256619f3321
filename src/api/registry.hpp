// Everything that a model may name.
#pragma once

#include "system/registry.hpp"

namespace flexloop::api {

// In the order in which the manual tells about them.
system::Registry makeRegistry();
// The same, made once: making it takes as long as building a small model, and studies build thousands.
const system::Registry& commonRegistry();
// With stand-ins for black boxes, whose code then does not run. Their libraries need not even be there where
// a model is only looked at.
enum class BoxFiles { kIgnored, kChecked };
system::Registry makeRegistryWithoutBoxes(BoxFiles files);

}  // namespace flexloop::api
