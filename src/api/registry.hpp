// Everything that a model may name.
#pragma once

#include <memory>

#include "model/source_files.hpp"
#include "system/registry.hpp"

namespace flexloop::api {

// In the order of the manual.
system::Registry makeRegistry();
// The same, made once: making it takes as long as building a small model, and studies build thousands.
const system::Registry& commonRegistry();
// With stand-ins for black boxes, whose code then does not run. Their libraries need not even be there where
// a model is only looked at.
enum class BoxFiles { kIgnored, kChecked };
system::Registry makeRegistryWithoutBoxes(BoxFiles files);

// With the parts that a result has kept among its files, instead of their meshes. The same registry without such files.
system::Registry useKeptParts(system::Registry registry,
                              std::shared_ptr<const model::SourceFiles> files);
// That of a model with these files: the common one, or one with the parts kept among them.
std::shared_ptr<const system::Registry> findRegistry(
    const std::shared_ptr<const model::SourceFiles>& files);

}  // namespace flexloop::api
