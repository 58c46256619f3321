#include "view/scene/mesh_sources.hpp"

#include <filesystem>

#include "base/file_text.hpp"

namespace flexloop::view {

namespace fs = std::filesystem;

MeshPlace findMesh(const model::SourceFiles* files, const system::Item& shape) {
  const base::Place& place = shape.placeOf("file");
  const std::string from = place.file != nullptr ? *place.file : std::string();
  const std::string& file = shape.text("file");
  const std::string path = (fs::path(from).parent_path() / file).string();
  return {path, files != nullptr ? files->nameFrom(from, file) : path};
}

void addMeshes(const model::Description& description, model::SourceFiles& files) {
  for (const system::Item& body : description.items) {
    if (body.section() != "bodies" || !body.has("shape")) continue;
    const system::Item shape = body.child("shape");
    if (shape.text("type") != "mesh") continue;
    const MeshPlace place = findMesh(&files, shape);
    if (files.findName(place.name) != nullptr) continue;
    if (auto bytes = base::readFileText(place.path)) {
      files.files.push_back({place.name, place.path, std::move(bytes.value()), false});
    }
  }
}

}  // namespace flexloop::view
