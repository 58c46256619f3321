#include <filesystem>

#include "api/commands.hpp"
#include "api/registry.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"

namespace flexloop::api {

namespace fs = std::filesystem;

model::Model loadModel(const ModelSource& source) {
  const system::Registry registry = makeRegistry();
  return model::buildModel(io::readModelFile(source.file, registry, source.overrides), registry);
}

std::string defaultDirectory(const std::string& modelFile) {
  const fs::path path = fs::absolute(modelFile).lexically_normal();
  const fs::path stem = path.stem();
  const bool byFolder = stem == "model" && path.has_parent_path();
  return (fs::path("out") / (byFolder ? path.parent_path().filename() : stem)).string();
}

}  // namespace flexloop::api
