#include "view/scene/mesh_sources.hpp"

#include <filesystem>

#include "base/file_text.hpp"
#include "fem/parts/part_maker.hpp"
#include "mechanics/parts/part_layout.hpp"

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

void addParts(const model::Model& model, model::SourceFiles& files) {
  constexpr std::size_t kLargest = std::size_t{4} << 30;
  for (const mechanics::PartLayout& part : mechanics::findParts(model.system())) {
    const mechanics::PartRecovery& recovery = *part.recovery;
    std::string bytes;
    if (recovery.bytes != nullptr) {
      bytes = *recovery.bytes;
    } else if (auto text = base::readFileText(recovery.file, kLargest)) {
      bytes = text.value();
    }
    const std::string name = fem::keptPartName(part.name);
    if (!bytes.empty() && files.findName(name) == nullptr) {
      files.files.push_back({name, {}, std::move(bytes), false});
    }
  }
}

}  // namespace flexloop::view
