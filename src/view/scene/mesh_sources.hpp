// Where the meshes of a model are, and what a result keeps of them.
#pragma once

#include <string>

#include "model/description.hpp"
#include "model/model.hpp"
#include "model/source_files.hpp"

namespace flexloop::view {

struct MeshPlace {
  std::string path;  // on disk
  std::string name;  // among the files of the model
};

// Of the `shape` of a body, which is a mesh. Files may be null.
MeshPlace findMesh(const model::SourceFiles* files, const system::Item& shape);

// Adds the meshes of a model that can be read to its files.
void addMeshes(const model::Description& description, model::SourceFiles& files);
// Adds its parts, reduced as they are, under names of their own (fem::keptPartName).
void addParts(const model::Model& model, model::SourceFiles& files);

}  // namespace flexloop::view
