#include "api/load.hpp"

#include <utility>

#include "api/registry.hpp"
#include "language/model_reader.hpp"
#include "language/source_reader.hpp"
#include "language/values/number_files.hpp"
#include "model/build.hpp"

namespace flexloop::api {

model::Description readDescription(const ModelSource& source, const system::Registry& registry) {
  return source.files != nullptr
             ? language::readModelFiles(*source.files, source.file, registry, source.overrides)
             : language::readModelFile(source.file, registry, source.overrides);
}

ModelSource withFiles(ModelSource source, const system::Registry& registry) {
  if (source.files != nullptr) return source;
  auto files =
      std::make_shared<model::SourceFiles>(language::readSourceFiles(source.file, registry));
  language::addNumberFiles(source.file, registry, source.overrides, *files);
  source.files = std::move(files);
  return source;
}

model::Model loadModel(const ModelSource& source, std::vector<std::string> wantedSignals) {
  const std::shared_ptr<const system::Registry> registry = findRegistry(source.files);
  model::Description description = readDescription(source, *registry);
  description.wantedSignals = std::move(wantedSignals);
  return model::buildModel(std::move(description), *registry);
}

}  // namespace flexloop::api
