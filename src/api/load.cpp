#include "api/load.hpp"

#include <filesystem>
#include <utility>

#include "api/registry.hpp"
#include "control/box_process.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"

namespace flexloop::api {

namespace fs = std::filesystem;

model::Description readDescription(const ModelSource& source, const system::Registry& registry) {
  return source.text ? io::readModelText(*source.text, source.file, registry, source.overrides)
                     : io::readModelFile(source.file, registry, source.overrides);
}

model::Model loadModel(const ModelSource& source, std::vector<std::string> wantedSignals) {
  const system::Registry registry = makeRegistry();
  model::Description description = readDescription(source, registry);
  description.wantedSignals = std::move(wantedSignals);
  return model::buildModel(std::move(description), registry);
}

void heedStopRequest(const volatile int* request) {
  control::OwnProcessHost::heed(request);
}

std::string defaultDirectory(const std::string& modelFile) {
  const fs::path path = fs::absolute(modelFile).lexically_normal();
  const fs::path stem = path.stem();
  const bool byFolder = stem == "model" && path.has_parent_path();
  return (fs::path("out") / (byFolder ? path.parent_path().filename() : stem)).string();
}

}  // namespace flexloop::api
