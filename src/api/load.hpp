// A model by its name: where it comes from, and how it is made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "language/overrides.hpp"
#include "model/model.hpp"
#include "model/source_files.hpp"
#include "system/registry.hpp"

namespace flexloop::api {

struct ModelSource {
  std::string file;
  language::Overrides overrides;
  // Instead of what the file and those that it includes hold now.
  std::shared_ptr<const model::SourceFiles> files{};
};

// Throws base::InputError, as all below. The wanted signals are sensors that need not be read by anything.
model::Model loadModel(const ModelSource& source, std::vector<std::string> wantedSignals = {});

// With the signals and loads of these names as inputs and outputs: a load without a signal gets one of its own name, which
// scales it.
model::Model loadModelWithPorts(const ModelSource& source, std::vector<std::string> names);

model::Description readDescription(const ModelSource& source, const system::Registry& registry);

// The same with its files as they are now, whatever becomes of them.
ModelSource withFiles(ModelSource source, const system::Registry& registry);

}  // namespace flexloop::api
