// The reader of each format; readMesh chooses. Each returns what builder.finish() gives.
#pragma once

#include <string_view>

#include "fem/mesh/mesh_builder.hpp"

namespace flexloop::fem {

base::Result<MeshFile> readGmsh(std::string_view text, MeshBuilder& builder);
base::Result<MeshFile> readAbaqus(std::string_view text, MeshBuilder& builder);
base::Result<MeshFile> readNastran(std::string_view text, MeshBuilder& builder);

}  // namespace flexloop::fem
