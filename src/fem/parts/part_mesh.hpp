// The mesh of a part as its request wants it: elements that carry stiffness, with material and thickness.
#pragma once

#include "base/result.hpp"
#include "fem/mesh/mesh_file.hpp"
#include "fem/parts/part_request.hpp"

namespace flexloop::fem {

// From the file, or the block, of the request. Fails for what cannot be a part; `notes` are warnings.
base::Result<MeshFile> makePartMesh(const PartRequest& request);

}  // namespace flexloop::fem
