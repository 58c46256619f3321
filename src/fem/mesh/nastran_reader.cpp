#include "fem/mesh/mesh_readers.hpp"
namespace flexloop::fem {
base::Result<MeshFile> readNastran(std::string_view, MeshBuilder& builder) {
  return builder.finish();
}
}  // namespace flexloop::fem
