// A part of a mesh: some parts of a machine may be meshed in one file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Keeps the elements that are marked, and all nodes. Element sets that lose all of theirs are gone.
void keepMarked(Mesh& mesh, const std::vector<char>& isKept);

// Keeps the elements of these sets only, and the nodes that they use; masses, spiders and equations
// stay where all of their nodes do. Fails where a set does not exist.
std::optional<base::Failure> keepElements(Mesh& mesh, const std::vector<std::string>& sets);

}  // namespace flexloop::fem
