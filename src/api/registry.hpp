// Everything that a model may name.
#pragma once

#include <memory>

#include "model/source_files.hpp"
#include "system/registry.hpp"

namespace flexloop::api {

// In the order in which the manual tells about them.
system::Registry makeRegistry();
// With stand-ins for black boxes, whose code then does not run. Their libraries need not even be there where
// a model is only looked at.
enum class BoxFiles { kIgnored, kChecked };
system::Registry makeRegistryWithoutBoxes(BoxFiles files);

// With the parts that a result has kept among its files, instead of their meshes. The same registry without such files.
system::Registry useKeptParts(system::Registry registry,
                              std::shared_ptr<const model::SourceFiles> files);

}  // namespace flexloop::api
